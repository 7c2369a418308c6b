package dynamodb

import (
	"context"
	"errors"
	"strings"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// Erase implements [call.Eraser]. It is one conditional write: the item of the residue, whose history is the erasure alone. It still has the
// recipient's hash, and says what Scrub must overwrite, so that an erasure which was interrupted is found and finished.
func (l *Ledger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.acceptable(ctx, w); err != nil {
		return call.Written{}, err
	}
	base, err := l.base(ctx, w)
	if err != nil || base.row.Version != w.Row.Version-1 || base.knows(w.Entry.Op) {
		return l.answer(ctx, base, err, w)
	}
	if err := l.mayFollow(base, w.Entry); err != nil {
		return call.Written{}, err
	}
	r := record{
		row: w.Row, created: base.created, entries: []call.Entry{w.Entry},
		rest: rest{recipient: l.recipient(base), spills: base.spilled / spillEntries, side: base.side},
	}
	return l.put(ctx, r, w, unchanged(base))
}

// unchanged returns the condition that the item is the one a record was read from or written to. What a scrub takes out of a forgotten row
// changes neither version nor head, so a record that still has it must see it.
func unchanged(base record) *awsdynamodb.PutItemInput {
	in := &awsdynamodb.PutItemInput{
		ConditionExpression:       &ifUnchanged,
		ExpressionAttributeValues: item{":v": number(base.row.Version), ":x": blob(headBytes(base.row.Head))},
	}
	if !base.rest.done() {
		in.ConditionExpression, in.ExpressionAttributeValues[":z"] = &ifUnscrubbed, text(base.rest.text())
	}
	return in
}

var ifUnscrubbed = ifUnchanged + " AND z = :z"

// recipient returns the hash under which the calls of a row's recipient are found.
func (l *Ledger) recipient(r record) string {
	return l.options.Recipient(r.row.Key.KeySpace, r.row.Key.RecipientID)
}

// besides returns the partition of the recipient index that holds the side items and spill items of a recipient.
func besides(recipient string) string { return reserved + recipient }

// addBeside puts into an item beside a row what finds it when no row names it. A forgotten row has nothing to be found.
func (l *Ledger) addBeside(it item, r record) {
	if !r.row.IsForgotten() {
		it[attrRecipient], it[attrCreated] = text(besides(l.recipient(r))), number(r.created)
	}
}

// rowBeside returns the row of a side item or spill item; empty for another key.
func rowBeside(pk string) string {
	rest, side := strings.CutPrefix(pk, sidePrefix)
	if !side {
		var spilled bool
		if rest, spilled = strings.CutPrefix(pk, spillPrefix); !spilled {
			return ""
		}
	}
	id, _, _ := strings.Cut(rest, reserved)
	return id
}

// addRecipient puts the recipient's hash into an item; a forgotten row has it until it is scrubbed.
func (l *Ledger) addRecipient(it item, r record) {
	switch {
	case !r.row.IsForgotten():
		it[attrRecipient] = text(l.recipient(r))
	case !r.rest.done():
		it[attrRecipient], it[attrRest] = text(r.rest.recipient), text(r.rest.text())
	}
}

// takeBack overwrites what a write left beside a row that turned out to be forgotten: a request that is delivered once more brings its
// side item, before its create loses.
func (l *Ledger) takeBack(ctx context.Context, r, current record) error {
	if !current.row.IsForgotten() || r.row.IsForgotten() {
		return nil
	}
	if r.side != "" {
		if err := l.bury(ctx, sideKey(r.row.ID, r.side)); err != nil {
			return err
		}
	}
	for chunk := range r.spilled / spillEntries {
		if err := l.bury(ctx, spillKey(r.row.ID, chunk)); err != nil {
			return err
		}
	}
	return nil
}

// bury overwrites an item with its bare key. It is no DeleteItem: a policy can then forbid every deletion, and with it that of a call.
func (l *Ledger) bury(ctx context.Context, pk string) error {
	in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: key(pk)}
	_, err := ask(ctx, l, "overwrite what is forgotten", in, l.client.PutItem)
	return err
}

// errOvertaken says that a side item or a spill item was overwritten between two reads: its row was forgotten meanwhile.
var errOvertaken = errors.New("the row was forgotten while it was read")

// again reads a record anew that was overtaken by its erasure.
func (l *Ledger) again(ctx context.Context, id string, r record, err error) (record, error) {
	if !errors.Is(err, errOvertaken) {
		return r, err
	}
	it, err := l.fetch(ctx, id, "read a call")
	if err != nil {
		return record{}, err
	}
	return l.remember(ctx, it)
}

// withHistory returns a record with its history, of one instant.
func (l *Ledger) withHistory(ctx context.Context, r record) (record, []call.Entry, error) {
	entries, err := l.history(ctx, r)
	if !errors.Is(err, errOvertaken) {
		return r, entries, err
	}
	r, err = l.again(ctx, r.row.ID, r, err)
	if err == nil {
		entries, err = l.history(ctx, r)
	}
	return r, entries, err
}

// renumber gives the entries of a forgotten row their numbers: the last one made the row's version.
func renumber(entries []call.Entry, version int64) {
	for i := range entries {
		entries[i].Seq = version - int64(len(entries)-1-i)
	}
}

// errNoteDropped is the answer to a note that came after its row was forgotten.
var errNoteDropped = errors.New("the row is forgotten: the note is dropped")
