// Package demo shows the whole of ringonce on an empty machine: a telephone network, a SQLite ledger and the Lambda handler in one
// process, on one clock that the demo advances by days.
//
// It delivers 14 keys in 40 deliveries, crashes the handler, loses answers, redrives a DLQ and replays an archive. The oracle is
// the emulator's count of rings, read over HTTP and compared with the ledger. With a break, a part of the protocol is taken out
// and the demo must see the second ring or the lost request.
package demo
