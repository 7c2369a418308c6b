// Package app wires ringonce: configuration -> ports -> core -> ways in. Every binary and the simulation build the same App, so
// what is tested is what runs.
//
// The package links no store of its own: a binary passes the ledgers it was built with, which keeps SQLite out of the Lambda.
package app
