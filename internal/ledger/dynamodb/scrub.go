package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// attrGone marks the notes item of a forgotten row.
	attrGone        = "gone"
	notForgotten    = "attribute_not_exists(gone)"
	andNotForgotten = " AND " + notForgotten

	// scrubTries is how often a forgotten row that moves meanwhile is read anew.
	scrubTries = 20
	// orphanAge is after which time a side item or spill item whose row does not exist is an orphan. Until then its row may be on its way.
	orphanAge = 24 * time.Hour
)

// Scrub implements [call.Eraser]: it overwrites the side items, spilled entries and notes of the rows, and then takes the recipient's hash
// out of them. Side items and spill items of the recipient that no row names are found by the recipient index and overwritten too. What fails
// stops nothing else: the errors come back together.
func (l *Ledger) Scrub(ctx context.Context, recipient string, ids []string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		if err := l.scrubRow(ctx, id); err != nil {
			failed = append(failed, fmt.Errorf("scrub row %s: %w", id, err))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return errors.Join(append(failed, l.scrubBeside(ctx, recipient))...)
}

func (l *Ledger) scrubRow(ctx context.Context, id string) error {
	r, err := l.load(ctx, id)
	switch {
	case errors.Is(err, call.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !r.row.IsForgotten() || r.rest.done():
		return nil
	case l.keyMissing() != nil: // its item is written again
		return l.keyMissing()
	}
	if r.rest.side != "" {
		if err := l.bury(ctx, sideKey(id, r.rest.side)); err != nil {
			return err
		}
	}
	for chunk := range r.rest.spills {
		if err := l.bury(ctx, spillKey(id, chunk)); err != nil {
			return err
		}
	}
	if err := l.scrubNotes(ctx, id); err != nil {
		return err
	}
	return l.scrubbed(ctx, r)
}

// scrubNotes overwrites the notes items with marks that let no further note in. An item follows another only when that is full.
func (l *Ledger) scrubNotes(ctx context.Context, id string) error {
	for chunk := 0; ; chunk++ {
		in := &awsdynamodb.PutItemInput{
			TableName: &l.options.Table, Item: item{attrKey: text(noteKey(id, chunk)), attrGone: number(1)}, ReturnValues: types.ReturnValueAllOld,
		}
		out, err := ask(ctx, l, "overwrite the notes of a forgotten row", in, l.client.PutItem)
		if err != nil {
			return err
		}
		texts, ok := out.Attributes[attrTexts].(*types.AttributeValueMemberL)
		// A mark of an earlier run, whose answer was lost, hides whether more follows: then the next item tells.
		if _, marked := out.Attributes[attrGone]; !marked && (!ok || len(texts.Value) < mostTexts) {
			return nil
		}
	}
}

// scrubbed takes the last trace of the recipient out of a forgotten row.
func (l *Ledger) scrubbed(ctx context.Context, r record) error {
	for range scrubTries {
		in := unchanged(r)
		r.rest = rest{}
		it, err := l.item(ctx, r)
		if err != nil {
			return err
		}
		in.TableName, in.Item = &l.options.Table, it
		_, err = ask(ctx, l, "finish an erasure", in, l.client.PutItem)
		if _, moved := lost(err); !moved {
			if err == nil {
				l.records.put(r.row.ID, r)
			}
			return err
		}
		if r, err = l.load(ctx, r.row.ID); err != nil || r.rest.done() {
			return err
		}
	}
	return fmt.Errorf("ledger: finish an erasure: row %s moved %d times", r.row.ID, scrubTries)
}

// scrubBeside overwrites the recipient's side items and spill items whose row is forgotten, and those of which no row came to be.
func (l *Ledger) scrubBeside(ctx context.Context, recipient string) error {
	found, err := l.query(ctx, query{index: indexRecipient, where: "r = :h", values: item{":h": text(besides(recipient))}, limit: math.MaxInt32})
	failed := []error{err}
	for _, it := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		pk := textOf(it[attrKey])
		gone, err := l.isGone(ctx, rowBeside(pk), instant(it[attrCreated]))
		if err == nil && gone {
			err = l.bury(ctx, pk)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("scrub beside row %s: %w", rowBeside(pk), err))
		}
	}
	return errors.Join(failed...)
}

// isGone reports whether a row is forgotten, or still absent long after something was written beside it.
func (l *Ledger) isGone(ctx context.Context, id string, beside time.Time) (bool, error) {
	if id == "" { // of a newer program
		return false, nil
	}
	row, err := l.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return beside.Before(l.options.Clock.Now().Add(-orphanAge)), nil
	}
	return row.IsForgotten(), err
}

// isForgotten reports whether a notes item is the mark of a forgotten row.
func isForgotten(notes item) bool { return notes[attrGone] != nil }
