package dynamodb

import "context"

// WentBack says whether the table was found to be another one than its ledger was made in; empty when it is the same. It is for a ledger
// that was opened to be read; Open refuses one that is to be written.
func (l *Ledger) WentBack(context.Context) (string, error) {
	if !l.wentBack.Load() {
		return "", nil
	}
	return "The table is not the one that this ledger was made in: it was restored from a backup, and calls made since then are missing in it.", nil
}
