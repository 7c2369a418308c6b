// Package measure finds out on a real instance, with the telephone of the person who asks, which reading of the client token it lives in
// (protocol.md section 14). It rings that telephone a few times over 6 days, asks whether it rang, compares contact ids, and judges the
// evidence. It can be stopped after every step and goes on where it stopped; an answer that was lost decides nothing, and its step is
// repeated under a fresh token.
package measure
