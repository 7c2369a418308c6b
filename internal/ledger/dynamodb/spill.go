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

func spillKey(id string, chunk int64) string {
	return "#h#" + id + "#" + strconv.FormatInt(chunk, 10)
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
	var f framer
	f.entries(oldest, "", false)
	packed, err := l.packer.pack(f.buf)
	if err != nil {
		return err
	}
	in := &awsdynamodb.PutItemInput{
		TableName: &l.options.Table,
		Item:      item{attrKey: text(spillKeyOf(*r, r.spilled/spillEntries)), attrData: blob(packed)},
	}
	if _, err := ask(ctx, l, "write older history", in, l.client.PutItem); err != nil {
		return err
	}
	for _, e := range oldest {
		r.older = append(r.older, e.Op)
	}
	r.entries = r.entries[spillEntries:]
	r.spilled += spillEntries
	return nil
}

// spilledEntries reads the entries that are not in the record's item, oldest first.
func (l *Ledger) spilledEntries(ctx context.Context, r record) ([]call.Entry, error) {
	var entries []call.Entry
	before := r.row.Version - r.spilled - int64(len(r.entries)) // of a forgotten row: the entries that are gone
	for seq := int64(1); seq <= r.spilled; seq += spillEntries {
		it, err := l.fetch(ctx, spillKeyOf(r, (seq-1)/spillEntries), "read older history")
		if err != nil {
			return nil, err
		}
		plain, err := unpack(binaryOf(it[attrData]))
		if err != nil {
			return nil, fmt.Errorf("older history of row %s: %w", r.row.ID, err)
		}
		p := parser{buf: plain}
		entries = append(entries, p.entries(r.row.ID, "", before+seq)...)
		if p.err != nil {
			return nil, fmt.Errorf("older history of row %s: %w", r.row.ID, p.err)
		}
	}
	return entries, nil
}

// recall reads the op ids of spilled entries, once, so that an own write is known however long ago it was.
func (l *Ledger) recall(ctx context.Context, r *record) error {
	if int64(len(r.older)) == r.spilled {
		return nil
	}
	entries, err := l.spilledEntries(ctx, *r)
	if err != nil {
		return err
	}
	r.older = nil
	for _, e := range entries {
		r.older = append(r.older, e.Op)
	}
	return nil
}
