// Package sim is the simulated world that tries to make a phone ring twice: internal/app as it ships, on a ledger, with the sources that
// feed it and the telephone network that it calls, in virtual time and with every fault that the machines around it can have.
//
// A world is driven by acts ([Act]): "deliver m1", "tick 30s", "sweep A". What goes wrong in an act is part of it (a [Strike]): "crash after
// dial", "lose result". So a random life is a list of acts that a generator makes from a seed, a failing life can be shortened and written
// down as a transcript, and a transcript is a test that anybody can read (testdata).
//
// The worlds "full" and "light" are one code. Full has SQLite, the SDK's client and the emulator; light has the ledger in memory and a
// telephone in the process, for volume. The oracle is the telephone's ring count beside a small model of what was asked for; it is never
// switched off. Every world lives in a bubble of testing/synctest, which its callers make: internal/sim/simrun for the command line.
package sim
