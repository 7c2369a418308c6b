// Package doctor judges a set-up: what a deployment, read from a template or from the live account, must hold so that one request
// rings once and none is lost. The judgments are pure; reading an account is the business of its own packages.
package doctor
