package sim_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
	"github.com/ringonce/ringonce/internal/sim"
)

// tableSeeds are the seeds of `make test` on the DynamoDB driver.
const tableSeeds = 60

// tableLedger is a ledger of the DynamoDB driver on a table in memory. The world's own handle meets no faults.
type tableLedger struct {
	*dynamodb.Ledger

	table *tabletest.Table
	kms   *kmstest.Service
	seed  uint64
	quiet *atomic.Bool
	tally *tableTally
}

// tableTally counts what has befallen tables and their KMS.
type tableTally struct{ writes, keys atomic.Int64 }

// newTable makes an empty one.
func (n *tableTally) newTable(seed uint64) (sim.Shared, error) {
	return openTable(tableLedger{table: tabletest.New(panicking{}), kms: kmstest.New(), seed: seed, tally: n})
}

func openTable(t tableLedger) (sim.Shared, error) {
	t.quiet = &atomic.Bool{}
	l, err := t.open(context.Background(), app.StoreRequest{AllowRecovery: true}, t.kms)
	t.Ledger = l
	return t, err
}

// kmsKey encrypts the calls of every third world.
func (t tableLedger) kmsKey() string {
	if t.seed%3 == 1 {
		return kmstest.KeyARN
	}
	return ""
}

func (t tableLedger) open(ctx context.Context, r app.StoreRequest, kms awskms.HTTPClient) (*dynamodb.Ledger, error) {
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	return dynamodb.Open(ctx, dynamodb.Options{
		Table: "calls", Region: "us-east-1", HTTPClient: t.table, CreateTable: true, Clock: app.SystemClock{}, RandomID: func() string { return "world" },
		UniqueTokens: r.UniqueTokens, AllowRecovery: r.AllowRecovery, Credentials: credentials, KMSKey: t.kmsKey(),
		Keys: kmskey.New(kmskey.Options{HTTPClient: kms, Credentials: credentials, Clock: app.SystemClock{}}),
	})
}

// Open implements [sim.Shared]. On half of the seeds one write in 20 suffers from then on: it is lost before or after it was applied, throttled,
// or answered by a 500; on a third the table leaves the old item out of failed conditions. The calls of a third are encrypted; on half of these
// the writes of data keys suffer too, and one request of KMS in three is lost.
func (t tableLedger) Open(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	l, err := t.open(ctx, r, &lossyKMS{t})
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(t.seed, 3))
	t.table.Shake(t.seed%3 == 0, func(op, pk string) tabletest.Fate {
		switch {
		case t.quiet.Load() || t.seed%2 != 0 || op != "PutItem":
		case pk[0] != '#' && random.IntN(20) == 0, strings.HasPrefix(pk, "#k#") && random.IntN(4) == 0:
			t.tally.writes.Add(1)
			return tabletest.Fate(1 + random.IntN(6))
		}
		return tabletest.Answered
	})
	return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close, Peek: l.Peek}, nil
}

// Quiet implements [sim.Shared].
func (t tableLedger) Quiet(quiet bool) { t.quiet.Store(quiet) }

// lossyKMS loses one request in three, on the way to KMS or on the way back.
type lossyKMS struct{ t tableLedger }

// Do implements the SDK's HTTP client.
func (l *lossyKMS) Do(r *http.Request) (*http.Response, error) {
	fate := uint64(9)
	if l.t.seed%2 == 0 && !l.t.quiet.Load() {
		fate = fateOf(l.t.seed, uint64(time.Now().UnixNano())) % 6
	}
	if fate < 2 {
		l.t.tally.keys.Add(1)
	}
	if fate == 0 {
		return nil, errReset
	}
	response, err := l.t.kms.Do(r)
	if fate == 1 {
		return nil, errReset
	}
	return response, err
}

var errReset = errors.New("connection reset by peer")

// fateOf draws a number for an instant of a seed.
func fateOf(seed, at uint64) uint64 { return rand.New(rand.NewPCG(seed, at)).Uint64() }

// tableCopy is a backup of a table.
type tableCopy struct {
	of    tableLedger
	items map[string]tabletest.Item
	at    time.Time
}

// Backup implements [sim.Shared].
func (t tableLedger) Backup([]*call.Write) sim.Copy {
	return tableCopy{t, t.table.Backup(), time.Now().UTC()}
}

// Restore implements [sim.Copy]: DynamoDB makes another table of a backup.
func (c tableCopy) Restore(context.Context) (sim.Shared, error) {
	another := c.of
	another.table = c.of.table.Restore(c.items, c.at)
	restored, err := openTable(another)
	if err == nil {
		restored.Quiet(true)
	}
	return restored, err
}

// Noticed implements [sim.Copy].
func (tableCopy) Noticed() bool { return true }

// panicking stops a world whose table was asked for something that it does not understand.
type panicking struct{ testing.TB }

// Errorf implements testing.TB.
func (panicking) Errorf(format string, _ ...any) { panic(format) }

func TestNoSeedDoesSoOnDynamoDB(t *testing.T) {
	first, count := seeds(t, tableSeeds)
	befell := &tableTally{}
	tally := explore(t, sim.Plan{World: sim.Full, Days: 60, Store: befell.newTable}, first, count)
	if count >= tableSeeds && (tally.Counts["restored"] == 0 || befell.writes.Load() == 0 || befell.keys.Load() == 0) {
		t.Errorf("%d ledgers were restored, %d writes suffered, %d requests of KMS", tally.Counts["restored"], befell.writes.Load(), befell.keys.Load())
	}
	t.Logf("%d lifetimes, %d met by three faults, %d writes suffered\n%s", tally.Lifetimes, tally.Struck, befell.writes.Load(), tally.Faults)
}
