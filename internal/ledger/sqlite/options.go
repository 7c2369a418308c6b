package sqlite

import (
	"github.com/ringonce/ringonce/internal/call"
)

// Options are the settings of a ledger.
type Options struct {
	// Path is the ledger's file (ledger.path), on a local disk. Beside it lie Path-wal, Path-shm and Path.lock.
	Path string
	// WitnessPath is the file that remembers how far the ledger was (ledger.witness). It must lie outside the directory of Path,
	// best on another disk: what is restored together cannot testify against each other.
	WitnessPath string
	// Mode is the identity mode of the row ids; empty means plain. A ledger keeps the mode it was made with.
	Mode call.IdentityMode
	// Check is Naming.Check of the mode and its secret; empty means that of the plain mode.
	Check string
	// Recipient hashes a recipient for ByRecipient (Naming.Recipient); nil means that of the plain mode.
	Recipient func(keySpace, recipientID string) string
	// Suppressions says which suppressed deliveries are kept with their text: "off", "first-20" (default) or "all". They are
	// counted in every case.
	Suppressions string
	// RandomID makes the ledger's id when the ledger is made: a word without spaces, different for every ledger.
	RandomID func() string
	// Clock stamps the making of the ledger. Nothing is judged by it.
	Clock call.Clock
	// AllowRecovery opens a ledger that went back in time. Until BeginRecovery it can only be read.
	AllowRecovery bool
	// ReadOnly opens the ledger beside a process that holds it: without lock, migration, witness or writes.
	ReadOnly bool
	// Cells lets a ledger that is open beside a process write cells: they are no rows, no witness counts them, and SQLite keeps the order.
	Cells bool
	// Driver is the name of the driver of database/sql that Open uses; empty means the one that is linked, "sqlite".
	Driver string

	openWitness func(path string) (witnessFile, error) // nil is the operating system's; a test has disks of its own
}

// linkedDriver is how modernc.org/sqlite names itself.
const linkedDriver = "sqlite"

const (
	suppressionsOff   = "off"
	suppressionsFirst = "first-20"
	suppressionsAll   = "all"
)

// complete fills the defaults and refuses settings that contradict each other.
func (o Options) complete() (Options, error) {
	plain := call.Naming{Mode: call.IdentityPlain}
	if o.Mode == "" {
		o.Mode = call.IdentityPlain
	}
	if o.Check == "" && o.Mode == call.IdentityPlain {
		o.Check = plain.Check()
	}
	if o.Recipient == nil && o.Mode == call.IdentityPlain {
		o.Recipient = plain.Recipient
	}
	if o.Suppressions == "" {
		o.Suppressions = suppressionsFirst
	}
	if o.Driver == "" {
		o.Driver = linkedDriver
	}
	switch {
	case o.Suppressions != suppressionsOff && o.Suppressions != suppressionsFirst && o.Suppressions != suppressionsAll:
		return o, misconfigured("ledger.suppressions", "Use off, first-20 or all.", "The setting ledger.suppressions has an unknown value %q.", o.Suppressions)
	case o.Mode != call.IdentityPlain && o.Mode != call.IdentityHMAC:
		return o, misconfigured("identity", "Use plain or hmac.", "The setting identity has an unknown value %q.", o.Mode)
	case !o.ReadOnly && o.Mode == call.IdentityHMAC && (o.Check == "" || o.Recipient == nil):
		return o, misconfigured("identity.key_file", "Configure the file that holds the key.", "The setting identity is hmac, but its key is missing.")
	case !o.ReadOnly && (o.RandomID == nil || o.Clock == nil):
		return o, misconfigured("ledger", "Give the driver both.", "The ledger was opened without a source of ids or a clock.")
	}
	return o, nil
}
