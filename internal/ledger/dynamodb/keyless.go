package dynamodb

import (
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

// errKeyless is in the chain of the error with which a handle without a master key refuses to write where calls are encrypted.
var errKeyless = errors.New("the configuration names no master key and the calls are encrypted")

// metSealed notes that an encrypted blob was met. Open refuses a configuration without a master key where the ledger is encrypted, but a process
// that was started before its encryption was turned on is told by nothing else: it would write what it reads back in clear.
func (l *Ledger) metSealed() {
	if l.options.KMSKey == "" {
		l.keyless.Store(true)
	}
}

// keyMissing returns the error of a handle without a master key that has met an encrypted blob.
func (l *Ledger) keyMissing() error {
	if !l.keyless.Load() {
		return nil
	}
	return sealedAway(errKeyless, "Start it again with the configuration that names the key; ledger.kms_key: off writes new calls in clear on purpose.",
		"The calls in the table %s were encrypted while this process ran without ledger.kms_key, so it writes nothing more.", l.options.Table)
}

// mayFollow refuses an update of this record by a handle without a master key that has met an encrypted blob. What a phone was found to do is still recorded where the row is in clear already: it
// would be lost with this process, and shows nothing that is not shown.
func (l *Ledger) mayFollow(base record, e call.Entry) error {
	if isFact(e) && !base.sealed {
		return nil
	}
	return l.keyMissing()
}

// isFact reports whether an entry says what happened, whoever wants it or not.
func isFact(e call.Entry) bool { return e.Kind == call.EventResult || e.Kind == call.EventContact }
