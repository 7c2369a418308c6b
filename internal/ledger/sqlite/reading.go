package sqlite

import "context"

const moveReading = `UPDATE ledger SET reading = ?`

// SetReading records which reading of the client token was measured on the instance; empty forgets it.
func (l *Ledger) SetReading(ctx context.Context, reading string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	_, err := l.wait(ctx, &job{kind: jobAct, act: func(p prepare, next *record) error {
		next.identity.Reading = reading
		_, err := p.exec(moveReading, reading)
		return err
	}})
	return err
}
