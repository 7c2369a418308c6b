package postgres

import (
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
)

// Options are the settings of a ledger.
type Options struct {
	// DSN is the connection string (ledger.dsn_file or ledger.dsn_secret), as a URL or as keywords; what pgxpool.ParseConfig takes.
	DSN secret.Secret
	// DSNField is the configuration key that named it, for errors; empty means ledger.dsn_file.
	DSNField string
	// Relaxed permits connections without TLS to other machines and a server that does not sync (production: false).
	Relaxed bool
	// WitnessPath is the file that remembers how far this process saw the ledger (ledger.witness). Processes of one machine may share it.
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
	// RandomID makes the id of a ledger and of each of its recoveries: a word without spaces, different every time.
	RandomID func() string
	// Clock stamps the making of the ledger. Nothing is judged by it.
	Clock call.Clock
	// AllowRecovery opens a ledger that went back in time. Until BeginRecovery it can only be read.
	AllowRecovery bool
	// ReadOnly opens the ledger without migration, witness or writes.
	ReadOnly bool
	// Waits is called once when a start has been bringing the schema up to date for some seconds: it may wait for transactions that are older, or for another
	// process that does, for hours. It may be nil.
	Waits func()
	// Cells lets a ledger that is opened ReadOnly write cells.
	Cells bool
}

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
	if o.DSNField == "" {
		o.DSNField = "ledger.dsn_file"
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
	case !o.ReadOnly && o.WitnessPath == "":
		return o, misconfigured("ledger.witness", "Name a file on a disk of this machine.", "The setting ledger.witness is missing.")
	}
	return o, nil
}
