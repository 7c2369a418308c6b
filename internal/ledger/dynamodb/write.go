package dynamodb

import (
	"context"
	"errors"
	"fmt"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// The conditions of the two writes.
var (
	ifAbsent    = "attribute_not_exists(pk)"
	ifUnchanged = "v = :v AND x = :x"
)

// Create implements [call.Ledger]. It is one conditional write, or three with a token to claim and a side item.
func (l *Ledger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.acceptable(ctx, w); err != nil {
		return call.Written{}, err
	}
	if w.Entry.Seq != 1 {
		return call.Written{}, fmt.Errorf("create row %s: the first write must have seq 1, not %d", w.Row.ID, w.Entry.Seq)
	}
	if err := l.claimToken(ctx, w.Row); err != nil {
		if !errors.Is(err, call.ErrTokenTaken) {
			return call.Written{}, err
		}
		// A row that exists is an answer, whatever token was asked for this time.
		current, loadErr := l.load(ctx, w.Row.ID)
		if errors.Is(loadErr, call.ErrNotFound) {
			return call.Written{}, err
		}
		return l.answer(ctx, current, loadErr, w)
	}
	r := record{created: l.now(), entries: []call.Entry{w.Entry}, row: w.Row}
	return l.put(ctx, r, w, &awsdynamodb.PutItemInput{ConditionExpression: &ifAbsent})
}

// Update implements [call.Ledger]. It is one conditional write when this process has met the row at the version before; otherwise the
// row is read first, for its history is written again with it.
func (l *Ledger) Update(ctx context.Context, w call.Write) (call.Written, error) {
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
	if w.Row.Token != base.row.Token {
		if err := l.claimToken(ctx, w.Row); err != nil {
			return call.Written{}, err
		}
	}
	r := base.with(w)
	if err := l.spill(ctx, &r); err != nil {
		return call.Written{}, err
	}
	return l.put(ctx, r, w, unchanged(base))
}

// acceptable refuses a write that nothing should be sent of.
func (l *Ledger) acceptable(ctx context.Context, w call.Write) error {
	if err := l.writable(ctx); err != nil && (!errors.Is(err, errKeyless) || !isFact(w.Entry)) { // of a fact the update judges
		return err
	}
	if !isRow(w.Row.ID) || w.Row.ID != w.Entry.RowID || w.Row.Version != w.Entry.Seq || w.Entry.Op == "" {
		return fmt.Errorf("the write of row %q does not fit its entry %q: id, version and op must agree", w.Row.ID, w.Entry.Op)
	}
	return nil
}

// base returns the record that an update is made from: the remembered one when it is the version before and does not know the op, else
// the one in the ledger.
func (l *Ledger) base(ctx context.Context, w call.Write) (record, error) {
	r, met := l.records.get(w.Row.ID)
	if met && r.row.Version == w.Row.Version-1 && !r.knows(w.Entry.Op) && int64(len(r.older)) == r.spilled {
		return r, nil
	}
	r, err := l.load(ctx, w.Row.ID)
	if err != nil {
		return r, err
	}
	return r, l.recall(ctx, &r)
}

// put sends the one write that makes the step, and answers it.
func (l *Ledger) put(ctx context.Context, r record, w call.Write, in *awsdynamodb.PutItemInput) (call.Written, error) {
	it, err := l.settle(ctx, &r)
	if err != nil {
		return call.Written{}, err
	}
	in.TableName, in.Item = &l.options.Table, it
	in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	_, err = ask(ctx, l, "write a call", in, l.client.PutItem)
	if failed, ok := lost(err); ok {
		current, err := l.winner(ctx, w.Row.ID, failed.Item)
		if err == nil {
			err = l.takeBack(ctx, r, current)
		}
		return l.answer(ctx, current, err, w)
	}
	if err != nil {
		return call.Written{}, err
	}
	r.sealed = l.seals()
	l.records.put(w.Row.ID, r)
	return call.Written{Applied: true, Row: w.Row}, nil
}

// winner returns the record that a lost compare met: from the answer, or, where the server left it out or sent it empty, from the ledger.
func (l *Ledger) winner(ctx context.Context, id string, answered item) (record, error) {
	if textOf(answered[attrKey]) != id {
		return l.load(ctx, id)
	}
	return l.remember(ctx, answered)
}

// answer tells the writer what is in the ledger, and whether its own write is.
func (l *Ledger) answer(ctx context.Context, current record, err error, w call.Write) (call.Written, error) {
	if err == nil && !current.knows(w.Entry.Op) {
		err = l.recall(ctx, &current)
	}
	if err != nil {
		return call.Written{}, err
	}
	return call.Written{Applied: current.knows(w.Entry.Op), Row: current.row}, nil
}
