package sqlite

import "errors"

var errKilled = errors.New("the process was killed")

// Kill ends the ledger as the death of its process would: what waits is dropped, and nothing is answered any more.
func (l *Ledger) Kill() { l.poison(errKilled) }
