package dynamodb

import (
	"context"
	"fmt"
	"strconv"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// mostEntries is how many history entries lie in a call's item (protocol.md section 12).
	mostEntries = 30
	// spillEntries is how many of the oldest go to a spill item at once. It belongs to the format: entry n lies in spill item
	// (n-1)/spillEntries.
	spillEntries = 15
)

const spillPrefix = "#h#"

func spillKey(id string, chunk int64) string {
	return spillPrefix + id + "#" + strconv.FormatInt(chunk, 10)
}

// spillKeyOf returns the key of a record's spill item. The items of before an erasure are overwritten, so a forgotten row has others.
func spillKeyOf(r record, chunk int64) string {
	if r.row.IsForgotten() {
		return spillKey(r.row.ID, chunk) + "f"
	}
	return spillKey(r.row.ID, chunk)
}

// spill moves the oldest entries out of a record that holds too many. The prefix of a history never changes, so writing a spill item
// again changes nothing, whoever does it.
func (l *Ledger) spill(ctx context.Context, r *record) error {
	if len(r.entries) <= mostEntries {
		return nil
	}
	oldest := r.entries[:spillEntries]
	if err := l.writeSpill(ctx, *r, r.spilled/spillEntries, oldest); err != nil {
		return err
	}
	for _, e := range oldest {
		r.older = append(r.older, e.Op)
	}
	r.entries = r.entries[spillEntries:]
	r.spilled += spillEntries
	return nil
}

// writeSpill writes one spill item of a record. It can be found by the recipient, as a side item can: a process that does not know yet that the
// row is forgotten may leave one that no row names.
func (l *Ledger) writeSpill(ctx context.Context, r record, chunk int64, entries []call.Entry) error {
	name := spillKeyOf(r, chunk)
	var f framer
	f.entries(entries, "", false)
	packed, err := l.packer.pack(f.buf)
	if err != nil {
		return err
	}
	sealed, err := l.seal(ctx, place{kind: kindSpill, pk: name}, packed)
	if err != nil {
		return err
	}
	it := item{attrKey: text(name), attrData: blob(sealed)}
	l.addBeside(it, r)
	in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: it}
	_, err = ask(ctx, l, "write older history", in, l.client.PutItem)
	return err
}

// readSpill returns the entries of a spill item, and whether it is encrypted.
func (l *Ledger) readSpill(ctx context.Context, r record, chunk int64) (entries []call.Entry, sealed bool, err error) {
	id, name := r.row.ID, spillKeyOf(r, chunk)
	gone := r.row.Version - r.spilled - int64(len(r.entries)) // the entries of before an erasure
	it, err := l.fetch(ctx, name, "read older history")
	if err != nil {
		return nil, false, missing(id, "older history", err)
	}
	if it[attrData] == nil {
		return nil, false, errOvertaken
	}
	plain, err := l.open(ctx, place{kind: kindSpill, pk: name}, it[attrData])
	if err != nil {
		return nil, false, fmt.Errorf("older history of row %s: %w", id, err)
	}
	p := parser{buf: plain}
	entries = p.entries(id, "", gone+chunk*spillEntries+1)
	if p.err != nil {
		return nil, false, fmt.Errorf("older history of row %s: %w", id, p.err)
	}
	return entries, isSealed(it[attrData]), nil
}

// spilledEntries reads the entries that are not in the record's item, oldest first.
func (l *Ledger) spilledEntries(ctx context.Context, r record) ([]call.Entry, error) {
	var entries []call.Entry
	for chunk := range r.spilled / spillEntries {
		some, _, err := l.readSpill(ctx, r, chunk)
		if err != nil {
			return nil, err
		}
		entries = append(entries, some...)
	}
	return entries, nil
}

// recall reads the op ids of spilled entries, once, so that an own write is known however long ago it was. Spill items that were written
// before encryption was turned on are encrypted then: the write that follows would not touch them.
func (l *Ledger) recall(ctx context.Context, r *record) error {
	if int64(len(r.older)) == r.spilled {
		return nil
	}
	r.older = nil
	for chunk := range r.spilled / spillEntries {
		entries, sealed, err := l.readSpill(ctx, *r, chunk)
		if err == nil && !sealed && l.seals() && l.writable(ctx) == nil {
			err = l.writeSpill(ctx, *r, chunk, entries)
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			r.older = append(r.older, e.Op)
		}
	}
	return nil
}
