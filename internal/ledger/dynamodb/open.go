package dynamodb

import (
	"context"
	"errors"
	"fmt"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// Open opens the ledger in a table, and makes the ledger's own item when the table is new. It costs one DescribeTable and one read. The
// errors are [call.Error] values that name the setting and the fix. A table that was restored from a backup has another table id than its
// ledger remembers: the error is then call.ErrWentBack too, and the ledger must be recovered (protocol.md section 11).
//
// A table in which the ledger's item is missing counts as new: nothing cheap tells it from one whose item was deleted by hand.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	l := newLedger(o)
	if o.CreateTable && !o.ReadOnly {
		if err := l.createTable(ctx); err != nil {
			return nil, err
		}
	}
	if l.table, err = l.describe(ctx); err != nil {
		return nil, err
	}
	if l.table.id == "" && o.Endpoint == "" { // an emulator may leave it out; DynamoDB does not
		return nil, fmt.Errorf("ledger: describe the table: no TableId, by which a restore is noticed: %w", errDamaged)
	}
	m, err := l.readMeta(ctx)
	if errors.Is(err, call.ErrNotFound) && !o.ReadOnly {
		m, err = l.makeMeta(ctx)
	}
	switch {
	case errors.Is(err, call.ErrNotFound):
		return nil, misconfigured("ledger.table", "Start ringonce with the table once, or correct the name.", "The table %s holds no ledger yet.", o.Table)
	case err != nil:
		return nil, err
	case m.kmsKey != "" && o.KMSKey == "" && !o.ReadOnly:
		return nil, misconfigured("ledger.kms_key", "Name the key, "+m.kmsKey+" at first; or write off, and new calls are stored in clear.",
			"The calls in the table %s are encrypted and ledger.kms_key is missing.", o.Table)
	}
	l.encrypted.Store(m.kmsKey != "")
	switch {
	case m.tableID == l.table.id:
		return l, nil
	case !o.AllowRecovery && !o.ReadOnly:
		return nil, wentBack(o.Table)
	}
	l.wentBack.Store(true)
	return l, nil
}

func wentBack(table string) error {
	return &refusal{cause: call.ErrWentBack, shown: &call.Error{
		Code: call.CodeLedgerWentBack, Field: "ledger.table",
		Message: fmt.Sprintf("The table %s is not the one that this ledger was made in: it was restored from a backup, and calls made since then are missing in it.", table),
		Fix:     "Run ringonce ledger recover before anything is dialed from it.",
	}}
}

// makeMeta makes the ledger's own item. Of two processes that start at once, one makes it and the other reads it.
func (l *Ledger) makeMeta(ctx context.Context) (meta, error) {
	m := meta{tableID: l.table.id, identity: call.LedgerIdentity{ID: l.options.RandomID(), Epoch: 1, Mode: l.options.Mode, Check: l.options.Check}}
	in := &awsdynamodb.PutItemInput{TableName: &l.options.Table, Item: m.item(), ConditionExpression: &ifAbsent}
	_, err := ask(ctx, l, "make the ledger", in, l.client.PutItem)
	if _, exists := lost(err); exists {
		return l.readMeta(ctx)
	}
	return m, err
}
