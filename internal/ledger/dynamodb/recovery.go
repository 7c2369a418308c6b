package dynamodb

import (
	"context"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

var ifRecovering = "attribute_exists(recovery_backup)"

// BeginRecovery opens a recovery (protocol.md section 11, step 2): the epoch grows, the stretch of forgotten time is stored, and the table
// is the ledger's from now on. When its answer is lost it may be sent again: the epoch then grows twice.
func (l *Ledger) BeginRecovery(ctx context.Context, r call.Recovery) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return errReadOnly
	}
	c := change{
		set: "recovery_backup = :b, recovery_restored = :r, table_id = :t", add: "epoch :one", condition: "attribute_exists(pk)",
		values: item{":b": number(r.Backup.UnixNano()), ":r": number(r.Restored.UnixNano()), ":t": text(l.table.id), ":one": number(1)},
	}
	if _, err := ask(ctx, l, "begin a recovery", c.input(l.options.Table, metaKey), l.client.UpdateItem); err != nil {
		return err
	}
	l.wentBack.Store(false)
	return nil
}

// CloseRecovery ends a recovery. It returns a call.Error of code recovery_not_open when none is open.
func (l *Ledger) CloseRecovery(ctx context.Context) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	remove := "REMOVE recovery_backup, recovery_restored"
	in := &awsdynamodb.UpdateItemInput{TableName: &l.options.Table, Key: key(metaKey), UpdateExpression: &remove, ConditionExpression: &ifRecovering}
	_, err := ask(ctx, l, "close the recovery", in, l.client.UpdateItem)
	if _, none := lost(err); none {
		return &call.Error{Code: call.CodeRecoveryNotOpen, Message: "No recovery of this ledger is open.", Fix: "Run ringonce ledger recover first."}
	}
	return err
}
