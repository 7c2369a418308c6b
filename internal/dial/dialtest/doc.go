// Package dialtest is the exam that every dialer sits: an implementation of call.Dialer is right when it passes [Run].
//
// The examiner is the emulator behind a front that counts what arrives on the wire. Each check asks the same questions: which
// class and code did the dialer give, how often did a phone ring, and how many requests were sent for it. The answer table is
// that of protocol.md section 4 and of the errors of the operation; every kind of contact sits the whole exam. The other checks hold the send rule, the stored
// bytes, the date of signatures, losses before and after writing, and the reads.
//
// An exam that nobody fails proves nothing. [Failing] runs it without failing the test, so that a dialer with one planted
// defect can be shown to fail exactly the checks that are about it.
package dialtest
