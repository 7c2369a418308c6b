// Package emutest meets the emulator as its users do: events that arrive in a queue and through a bus, and the page in a real browser.
//
// It holds tests only, behind the build tag integration; the clients of other languages are tested beside their examples
// (examples/emulator). The oracle is the emulator's own history, read in its process.
package emutest
