package dynamodb

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// stillClock never moves but when somebody sleeps on it.
type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC) }

func (stillClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// fake is a table and a KMS in memory, and ledgers on them.
type fake struct {
	*tabletest.Table

	t   testing.TB
	kms *kmstest.Service
}

func newFake(t testing.TB) *fake { return &fake{tabletest.New(t), t, kmstest.New()} }

var testCredentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
})

// on returns the settings of a ledger on the table.
func (f *fake) on() Options {
	return Options{
		Table: "calls", Region: "eu-west-1", HTTPClient: f.Table, CreateTable: true, RandomID: func() string { return "ledger-1" }, Clock: stillClock{},
		Credentials: testCredentials, Keys: kmskey.New(kmskey.Options{HTTPClient: f.kms, Credentials: testCredentials, Clock: stillClock{}}),
	}
}

// encrypted turns encryption on.
func encrypted(o *Options) { o.KMSKey = kmstest.KeyARN }

func (f *fake) open(tune func(*Options)) *Ledger {
	f.t.Helper()
	o := f.on()
	if tune != nil {
		tune(&o)
	}
	l, err := Open(f.t.Context(), o)
	if err != nil {
		f.t.Fatalf("open: %v", err)
	}
	f.Taken()
	return l
}

type store struct{ options Options }

func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) { return Open(ctx, s.options) }

func (s *store) Kill(l ledgertest.Ledger) { _ = l.Close() }

// TestLedgerSitsTheExam sits it on the fake, with and without the winner's item in the answer to a lost compare, and with the default of
// unrecorded suppressions. The integration tests sit it on servers that know nothing of this driver.
func TestLedgerSitsTheExam(t *testing.T) {
	t.Parallel()
	lacks := ledgertest.Lacks{Counts: true, ForeignOps: true, NoteOrder: true}
	for name, tune := range map[string]func(*fake, *Options){
		"as DynamoDB answers":   func(_ *fake, o *Options) { o.Suppressions = suppressionsFirst },
		"without the old item":  func(f *fake, o *Options) { f.NoOld, o.Suppressions = true, suppressionsFirst },
		"suppressions not kept": func(_ *fake, _ *Options) {},
		"encrypted":             func(_ *fake, o *Options) { encrypted(o); o.Suppressions = suppressionsFirst },
		"encrypted by an alias, without the old item": func(f *fake, o *Options) {
			f.NoOld, o.KMSKey, o.Suppressions = true, kmstest.Alias, suppressionsFirst
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lacks := lacks
			open := func() ledgertest.Store {
				f := newFake(t)
				o := f.on()
				o.UniqueTokens = true
				tune(f, &o)
				return &store{o}
			}
			lacks.Suppressions = name == "suppressions not kept"
			lacks.Speed = name != "as DynamoDB answers" && name != "without the old item" // the others write no row in another way
			ledgertest.Run(t, open, lacks)
		})
	}
}
