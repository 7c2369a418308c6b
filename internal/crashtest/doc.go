// Package crashtest kills the real process loop of `ringonce lambda-runtime`, and the commands by which operators write into its ledger, again and again, and counts
// every ring afterwards.
//
// It holds tests only. A queue that delivers at least once speaks the Lambda Runtime API to the process, the emulator stands for Amazon
// Connect and outlives every kill, and the ledger is a SQLite file on a real disk. The process is ended by SIGKILL in three ways: from outside
// at an event of its traffic (a document handed over, a request on the wire, an answer on its way back), from inside at a passage of one
// of its ports, and at random times. The first and the third way kill the shipped binary; the second kills this test's own binary, which runs
// the same command line with ports that count their passages, so that what is shipped holds no way to be killed.
//
// What processes die at is a list (effects) that is compared with the kinds of events and with the methods of the ports. Most of it happens in one world with
// all kinds of load; what needs a history of its own has a chapter.
//
// `make crash` runs it at length; docs/proof-crash.md says what was found.
package crashtest
