// Package audit compares, after a run, what a ledger says with itself and with what really rang: the hash chain of every call, the calls among
// each other, and the truth log of the emulator (connectemu.ReadTruth). It reads and never writes. docs/audit.md says what it cannot see.
package audit
