package dynamodb

import "context"

// SetReading records in the ledger's own item which reading of the client token was measured on the instance; empty forgets it. It may be
// sent again when its answer is lost.
func (l *Ledger) SetReading(ctx context.Context, reading string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	c := change{set: metaReading + " = :r", condition: "attribute_exists(pk)", values: item{":r": text(reading)}}
	_, err := ask(ctx, l, "record the reading of the token", c.input(l.options.Table, metaKey), l.client.UpdateItem)
	return err
}
