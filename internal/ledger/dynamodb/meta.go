package dynamodb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// metaKey is the key of the ledger's own item. Its attributes are spelled out: there is one, and people look at it.
const metaKey = "#ledger"

const (
	metaID       = "ledger_id"
	metaEpoch    = "epoch"
	metaMode     = "identity_mode"
	metaCheck    = "identity_check"
	metaTable    = "table_id"
	metaFormat   = "format"
	metaBackup   = "recovery_backup"
	metaRestored = "recovery_restored"
	metaReading  = "token_reading"
	metaKMSKey   = "encrypted" // the master key that calls were first encrypted with; the format is then 2
)

// meta is the ledger's own record.
type meta struct {
	identity call.LedgerIdentity
	kmsKey   string // that calls were first encrypted with; empty when they never were
	tableID  string // of the table that the ledger was made in, or that its last recovery took over
}

func (m meta) item() item {
	return item{
		attrKey: text(metaKey), metaID: text(m.identity.ID), metaEpoch: number(m.identity.Epoch), metaMode: text(string(m.identity.Mode)),
		metaCheck: text(m.identity.Check), metaTable: text(m.tableID), metaFormat: number(format),
	}
}

func metaOf(it item) (meta, error) {
	if known := numberOf(it[metaFormat]); known > newestFormat {
		return meta{}, fmt.Errorf("the ledger has format %d, this program knows %d: %w", known, newestFormat, call.ErrNewerRow)
	}
	m := meta{tableID: textOf(it[metaTable]), kmsKey: textOf(it[metaKMSKey]), identity: call.LedgerIdentity{
		ID: textOf(it[metaID]), Epoch: numberOf(it[metaEpoch]), Mode: call.IdentityMode(textOf(it[metaMode])), Check: textOf(it[metaCheck]),
		Reading: textOf(it[metaReading]),
	}}
	if it[metaBackup] != nil {
		m.identity.Recovery = &call.Recovery{Backup: instant(it[metaBackup]), Restored: instant(it[metaRestored])}
	}
	return m, nil
}

func (l *Ledger) readMeta(ctx context.Context) (meta, error) {
	it, err := l.fetch(ctx, metaKey, "read the ledger's identity")
	if err != nil {
		return meta{}, err
	}
	return metaOf(it)
}

// Identity implements [call.Ledger], by one batch read. Writes are not counted here: HighWater is zero, and LastWrite is the newest
// heartbeat, which is at most a sweep's period older than the newest write while a sweeper runs; an older time is the careful side for a
// recovery. For a table that was restored and not yet recovered it is the time of the backup, which DynamoDB knows.
func (l *Ledger) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	if err := l.usable(ctx); err != nil {
		return call.LedgerIdentity{}, err
	}
	items, err := l.fetchAll(ctx, []string{metaKey, beatKey})
	if err != nil {
		return call.LedgerIdentity{}, err
	}
	m, err := metaOf(items[metaKey])
	if err != nil {
		return call.LedgerIdentity{}, err
	}
	m.identity.LastWrite = instant(items[beatKey][attrBeat])
	if l.wentBack.Load() && !l.table.restored.IsZero() {
		m.identity.LastWrite = l.table.restored
	}
	return m.identity, nil
}

// instant reads nanoseconds; a missing number is the zero time.
func instant(v types.AttributeValue) time.Time {
	if v == nil {
		return time.Time{}
	}
	return time.Unix(0, numberOf(v)).UTC()
}
