package memory

import "context"

// SetReading records which reading of the client token was measured on the instance; empty forgets it.
func (l *Ledger) SetReading(ctx context.Context, reading string) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.store.reading = reading
	return nil
}
