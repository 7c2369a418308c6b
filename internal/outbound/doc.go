// Package outbound is the one way out to addresses that somebody outside wrote down: webhooks of producers and key sets of issuers. It resolves a
// name, looks at every address it stands for, and dials the very address it looked at, so that a name which changes between the look and the dial
// leads nowhere (reliability-security.md D9). Private, loopback, link-local and metadata addresses are refused unless they are allowed by range;
// nothing follows a redirect, and bodies and times are bounded.
package outbound
