package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// What a file must be beside its calls and their histories, which Each shows. Every query returns what is wrong, so that no row is well.
var inspections = []struct{ query, detail string }{
	{
		`SELECT 'call ' || calls.id FROM calls JOIN history a ON a.call = calls.number JOIN history b ON b.call = a.call AND b.seq = a.seq + 1 WHERE b.number <= a.number`,
		"the writes of %v are not in the order of its history",
	},
	{
		`SELECT call FROM (SELECT call, number, lag(number) OVER (ORDER BY call) AS before FROM history WHERE seq = 1) WHERE number <= before`,
		"the call of number %v was not created after the one before it",
	},
	{`SELECT 'entry ' || number FROM history WHERE call NOT IN (SELECT number FROM calls)`, "history %v belongs to no call"},
	{`SELECT 'id ' || id FROM ids WHERE NOT EXISTS (SELECT 1 FROM calls WHERE calls.number = ids.call AND calls.id = ids.id)`, "the index of ids leads from %v to another call, or to none"},
	{
		`SELECT call FROM tokens WHERE NOT EXISTS (SELECT 1 FROM calls WHERE calls.number = tokens.call AND calls.token = tokens.token)`,
		"the index of tokens leads to call number %v, which has another one",
	},
	{`SELECT contact FROM contacts WHERE call NOT IN (SELECT number FROM calls)`, "the index of contacts leads from %v to no call"},
	{
		`SELECT call FROM recipients WHERE NOT EXISTS (SELECT 1 FROM calls WHERE calls.number = recipients.call AND calls.recipient = recipients.recipient)`,
		"the index of recipients leads to call number %v, which has another one",
	},
	{
		`SELECT call FROM key_spaces WHERE NOT EXISTS (SELECT 1 FROM calls WHERE calls.number = key_spaces.call AND ` + keySpaceOf + ` = key_spaces.key_space)`,
		"the index of key spaces leads to call number %v, which has another one",
	},
	{`SELECT call FROM erased_tokens WHERE call NOT IN (SELECT number FROM calls)`, "an erased token belongs to call number %v, which does not exist"},
	{indexed + `WHERE NOT EXISTS (SELECT 1 FROM ids WHERE ids.id = calls.id AND ids.call = calls.number)`, "the index of ids does not know %v: its next delivery would be new"},
	{
		indexed + `WHERE calls.token IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.token = calls.token AND tokens.call = calls.number)`,
		"the index of tokens does not know %v",
	},
	{
		indexed + `WHERE calls.contact IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.contact = calls.contact AND contacts.call = calls.number)`,
		"the index of contacts does not know %v",
	},
	{
		indexed + `WHERE calls.recipient <> '' AND NOT EXISTS (SELECT 1 FROM recipients WHERE recipients.recipient = calls.recipient AND recipients.call = calls.number)`,
		"the index of recipients does not know %v",
	},
	{
		indexed + `WHERE ` + keySpaceOf + ` <> '' AND NOT EXISTS (SELECT 1 FROM key_spaces WHERE key_spaces.key_space = ` + keySpaceOf + ` AND key_spaces.call = calls.number)`,
		"the index of key spaces does not know %v",
	},
}

// indexed selects the calls whose every write the indexes must know.
const indexed = `SELECT 'call ' || calls.id FROM calls JOIN (SELECT call, max(number) AS newest FROM history GROUP BY call) AS h ON h.call = calls.number
	JOIN ledger ON h.newest <= ledger.indexed `

const (
	integrity     = `PRAGMA integrity_check(20)`
	selectTotals  = `SELECT (SELECT coalesce(sum(version), 0) FROM calls), (SELECT coalesce(max(number), 0) FROM history), (SELECT coalesce(min(number), 1) FROM history), high_water FROM ledger`
	selectColumns = `SELECT id, version, state, due, token, contact, recipient, doc, parked FROM calls ORDER BY number`
)

// Inspect returns what is wrong with the file beside the histories of its calls: structure, columns that disagree with their documents, indexes
// that lead astray or have forgotten, and writes that are missing: every write counts, so the versions of all calls add up to the ledger's own
// count. It changes nothing and can run beside the process that writes.
func (l *Ledger) Inspect(ctx context.Context) ([]call.Breach, error) {
	var found []call.Breach
	report := func(row, format string, args ...any) {
		found = append(found, call.Breach{Invariant: "I9", RowID: row, Detail: fmt.Sprintf(format, args...)})
	}
	err := l.read(ctx, "inspect the file", func(p prepare) (err error) {
		if _, err := p.exec(snapshot); err != nil {
			return err
		}
		defer func() {
			_, end := p.exec(commit)
			err = errors.Join(err, end)
		}()
		return l.inspect(p, report)
	})
	return found, err
}

func (l *Ledger) inspect(p prepare, report func(row, format string, args ...any)) error {
	err := p.each(func(row []driver.Value) error {
		if said := textOf(row[0]); said != "ok" {
			report("", "the file is damaged: %s", said)
		}
		return nil
	}, integrity)
	if err != nil {
		return err
	}
	totals, err := p.one(selectTotals)
	if err != nil || totals == nil {
		return err
	}
	versions, newest, oldest, count := numberOf(totals[0]), numberOf(totals[1]), numberOf(totals[2]), numberOf(totals[3])
	if versions != count {
		report("", "the ledger counts %d writes and its calls have %d", count, versions)
	}
	if newest != count || oldest < 1 {
		report("", "the ledger counts %d writes and its history has the numbers %d to %d", count, oldest, newest)
	}
	for _, x := range inspections {
		err := p.each(func(row []driver.Value) error {
			report("", x.detail, row[0])
			return nil
		}, x.query)
		if err != nil {
			return err
		}
	}
	return p.each(func(row []driver.Value) error {
		l.inspectRow(row, report)
		return nil
	}, selectColumns)
}

// inspectRow compares the columns of a call with its document.
func (l *Ledger) inspectRow(row []driver.Value, report func(row, format string, args ...any)) {
	id := textOf(row[0])
	c, err := decode(bytesOf(row[7]))
	if err != nil {
		report(id, "its document cannot be read")
		return
	}
	recipient := ""
	if !c.IsForgotten() {
		recipient = textOf(row[6])
		if l.options.Mode == l.record.identity.Mode { // a reader without the key cannot tell
			recipient = l.options.Recipient(c.Key.KeySpace, c.Key.RecipientID)
		}
	}
	for _, column := range []struct {
		name string
		same bool
	}{
		{"id", c.ID == id},
		{"version", c.Version == numberOf(row[1])},
		{"state", string(c.State) == textOf(row[2])},
		{"due", optional(c.DueAt()) == row[3]},
		{"token", c.Token == textOf(row[4])},
		{"contact", c.ContactID == textOf(row[5])},
		{"recipient", recipient == textOf(row[6])},
		{"parked", parked(&c) == row[8]},
	} {
		if !column.same {
			report(id, "its column %s disagrees with its document", column.name)
		}
	}
}
