package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// Inspect returns what is wrong with the tables beside the histories of the calls: columns that disagree with their documents, entries and tokens
// without a call, and writes that are missing: every write counts, so the versions of all calls add up to the number of the newest write. It changes
// nothing and reads one instant, also beside processes that write.
func (l *Ledger) Inspect(ctx context.Context) ([]call.Breach, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	var found []call.Breach
	report := func(row, format string, args ...any) {
		found = append(found, call.Breach{Invariant: "I9", RowID: row, Detail: fmt.Sprintf(format, args...)})
	}
	err := pgx.BeginTxFunc(ctx, l.pool, snapshot, func(tx pgx.Tx) error {
		q := l.queries.WithTx(tx)
		record, err := readRecord(ctx, q)
		if err != nil {
			return err
		}
		wrong, err := q.Inspections(ctx)
		if err != nil {
			return err
		}
		for _, detail := range wrong {
			report("", "%s", detail)
		}
		for after := int64(0); ; {
			rows, err := q.PageOfColumns(ctx, queries.PageOfColumnsParams{After: after, Most: eachPage})
			if err != nil || len(rows) == 0 {
				return err
			}
			for _, row := range rows {
				l.inspectRow(row, record.identity.Mode, report)
				after = row.Number
			}
		}
	})
	return found, l.failed(explain(err, "inspect its tables"))
}

// inspectRow compares the columns of a call with its document.
func (l *Ledger) inspectRow(row queries.Call, mode call.IdentityMode, report func(row, format string, args ...any)) {
	c, err := decode(row.Doc)
	if err != nil {
		report(row.ID, "its document cannot be read")
		return
	}
	recipient := text(row.Recipient)
	if !c.IsForgotten() && l.options.Mode == mode { // a reader without the key cannot tell
		recipient = l.options.Recipient(c.Key.KeySpace, c.Key.RecipientID)
	}
	due := optional(c.DueAt())
	for _, column := range []struct {
		name string
		same bool
	}{
		{"id", c.ID == row.ID},
		{"version", c.Version == row.Version},
		{"state", string(c.State) == row.State},
		{"due", (due == nil) == (row.Due == nil) && (due == nil || *due == *row.Due)},
		{"token", c.Token == text(row.Token)},
		{"contact", c.ContactID == text(row.Contact)},
		{"recipient", recipient == text(row.Recipient)},
		{"forgotten", c.IsForgotten() == row.Forgotten},
	} {
		if !column.same {
			report(row.ID, "its column %s disagrees with its document", column.name)
		}
	}
}

func text(column *string) string {
	if column == nil {
		return ""
	}
	return *column
}
