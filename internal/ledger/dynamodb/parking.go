package dynamodb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// parkedGroup is the partition of the list index that holds the parked records which wait. A closed one leaves it.
const parkedGroup = "p"

// parkedKey returns the key of a parked record. Its item holds JSON, a line feed and the document, encrypted as one blob where calls are.
func parkedKey(id string) string { return "#p#" + id }

// Park implements [call.Parking] by one conditional put.
func (l *Ledger) Park(ctx context.Context, p call.Parked) (fresh bool, err error) {
	if err := l.writable(ctx); err != nil {
		return false, err
	}
	it, err := l.parkedItem(ctx, p)
	if err != nil {
		return false, err
	}
	it[attrGroup], it[attrCreated] = text(parkedGroup), number(p.At.UnixNano())
	in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: it, ConditionExpression: &ifAbsent}
	_, err = ask(ctx, l, "park a record", in, l.client.PutItem)
	if _, known := lost(err); known {
		return false, nil
	}
	return err == nil, err
}

func (l *Ledger) parkedItem(ctx context.Context, p call.Parked) (item, error) {
	plain, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode the parked record %s: %w", p.ID, err)
	}
	packed, err := l.packer.pack(append(append(plain, '\n'), p.Document...))
	if err != nil {
		return nil, err
	}
	pk := parkedKey(p.ID)
	sealed, err := l.seal(ctx, place{kind: kindPark, pk: pk}, packed)
	return item{attrKey: text(pk), attrData: blob(sealed)}, err
}

// Parked implements [call.Parking].
func (l *Ledger) Parked(ctx context.Context, id string) (call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return call.Parked{}, err
	}
	it, err := l.fetch(ctx, parkedKey(id), "read the parked record")
	if err != nil {
		return call.Parked{}, err
	}
	return l.parkedOf(ctx, it)
}

func (l *Ledger) parkedOf(ctx context.Context, it item) (call.Parked, error) {
	pk := textOf(it[attrKey])
	plain, err := l.open(ctx, place{kind: kindPark, pk: pk}, it[attrData])
	if err != nil {
		return call.Parked{}, fmt.Errorf("parked record %s: %w", pk, err)
	}
	head, document, _ := bytes.Cut(plain, []byte("\n"))
	var p call.Parked
	if err := json.Unmarshal(head, &p); err != nil {
		return call.Parked{}, fmt.Errorf("parked record %s: %w: %w", pk, errDamaged, err)
	}
	if p.Closed == "" {
		p.Document = bytes.Clone(document)
	}
	return p, nil
}

// ListParked implements [call.Parking] by the list index, in a partition of its own, and consistent reads of what it names.
func (l *Ledger) ListParked(ctx context.Context, limit int) ([]call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	found, err := l.query(ctx, query{index: indexList, where: "g = :h", values: item{":h": text(parkedGroup)}, limit: limit})
	if err != nil {
		return nil, err
	}
	var waiting []call.Parked
	for _, key := range found { // one by one: a batch of them can pass what one answer holds
		it, err := l.fetch(ctx, textOf(key[attrKey]), "read the parked record")
		if err != nil {
			return nil, err
		}
		p, err := l.parkedOf(ctx, it)
		if err != nil {
			return nil, err
		}
		if p.Document = nil; p.Closed == "" { // the index may lag
			waiting = append(waiting, p)
		}
	}
	return waiting, nil
}

// CloseParked implements [call.Parking]. The item is never deleted: without its document and out of the index it is a tombstone.
func (l *Ledger) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	it, err := l.fetch(ctx, parkedKey(id), "read the parked record")
	if err != nil {
		return err
	}
	p, err := l.parkedOf(ctx, it)
	if err != nil || p.Closed != "" {
		return err
	}
	p.Closed, p.ClosedAt, p.Document = end, at, nil
	closed, err := l.parkedItem(ctx, p)
	if err != nil {
		return err
	}
	condition := "attribute_exists(g)" // the first end stays
	in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: closed, ConditionExpression: &condition}
	_, err = ask(ctx, l, "close the parked record", in, l.client.PutItem)
	if _, already := lost(err); already || errors.Is(err, call.ErrNotFound) {
		return nil
	}
	return err
}
