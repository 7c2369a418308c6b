package dynamodb

import (
	"context"
	"errors"
	"fmt"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// unit is the size up to which an item costs one base write unit.
	unit = 1024
	// smallRequest is how many bytes of request and body, packed, always stay in the item (protocol.md section 12).
	smallRequest = 400
)

const sidePrefix = "#s#"

// sideKey names a side item by its row and its content, so that writing it again changes nothing.
func sideKey(id, side string) string { return sidePrefix + id + "#" + side }

// settle returns the item of the record, after writing the side item it needs: when it would cost more than one write unit, request and
// body go to a side item, which is written once and not again with every step. A record that has one keeps it.
func (l *Ledger) settle(ctx context.Context, r *record) (item, error) {
	if r.side == "" {
		it, err := l.item(ctx, *r)
		if err != nil || sizeOf(it) <= unit {
			return it, err
		}
		small, err := l.moveRequest(ctx, r, smallRequest)
		if err != nil || small {
			return it, err
		}
	} else if _, err := l.moveRequest(ctx, r, 0); err != nil {
		return nil, err
	}
	return l.item(ctx, *r)
}

// moveRequest writes the side item of the record, unless it is not larger than limit or known to be there.
func (l *Ledger) moveRequest(ctx context.Context, r *record, limit int) (small bool, err error) {
	plain, err := r.request()
	if err != nil {
		return false, err
	}
	packed, err := l.packer.pack(plain)
	if err != nil || len(packed) <= limit {
		return true, err
	}
	side := l.sideName(*r, plain)
	if name := sideKey(r.row.ID, side); !l.written.has(name) {
		sealed, err := l.seal(ctx, place{kind: kindSide, pk: name}, packed)
		if err != nil {
			return false, err
		}
		it := item{attrKey: text(name), attrData: blob(sealed)}
		l.addBeside(it, *r)
		in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: it}
		if _, err := ask(ctx, l, "write a side item", in, l.client.PutItem); err != nil {
			return false, err
		}
		l.written.put(name, struct{}{})
	}
	r.side = side
	return false, nil
}

// complete reads the side item that the record names.
func (l *Ledger) complete(ctx context.Context, r *record) error {
	if r.side == "" {
		return nil
	}
	name := sideKey(r.row.ID, r.side)
	it, err := l.fetch(ctx, name, "read a side item")
	if err != nil {
		return missing(r.row.ID, "side item", err)
	}
	if it[attrData] == nil {
		return errOvertaken
	}
	plain, err := l.open(ctx, place{kind: kindSide, pk: name}, it[attrData])
	if err != nil {
		return fmt.Errorf("side item of row %s: %w", r.row.ID, err)
	}
	if isSealed(it[attrData]) || !l.seals() { // one in clear is replaced at the next write
		l.written.put(name, struct{}{})
	}
	return r.addRequest(plain)
}

// missing says that a part of a call is gone. It hides call.ErrNotFound: the call itself is there.
func missing(id, part string, err error) error {
	if errors.Is(err, call.ErrNotFound) {
		return fmt.Errorf("row %s: its %s is missing: %w", id, part, errDamaged)
	}
	return err
}
