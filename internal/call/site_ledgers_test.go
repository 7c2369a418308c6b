package call_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// maker makes a fresh ledger for a world.
type maker func(t testing.TB, c *clock) ledgertest.Ledger

func drivers() map[string]maker {
	return map[string]maker{"memory": onMemory, "sqlite": onSQLite(), "dynamodb": onDynamoDB}
}

func onMemory(testing.TB, *clock) ledgertest.Ledger { return memory.New(memory.Options{}) }

// onSQLite makes ledgers from copies of one that was made before: making the tables anew takes longer than a story.
func onSQLite() maker {
	var once sync.Once
	var empty []byte
	open := func(t testing.TB, c *clock, path string) *sqlite.Ledger {
		l, err := sqlite.Open(context.Background(), sqlite.Options{
			Path: path, WitnessPath: filepath.Join(t.TempDir(), "witness"), RandomID: func() string { return "ledger" }, Clock: c,
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	return func(t testing.TB, c *clock) ledgertest.Ledger {
		path := filepath.Join(t.TempDir(), "ledger.db")
		once.Do(func() {
			err := open(t, c, path).Close()
			if err == nil {
				empty, err = os.ReadFile(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if err := os.WriteFile(path, empty, 0o600); err != nil {
			t.Fatal(err)
		}
		return open(t, c, path)
	}
}

func onDynamoDB(t testing.TB, c *clock) ledgertest.Ledger {
	l, err := dynamodb.Open(context.Background(), dynamodb.Options{
		Table: "calls", Region: "eu-west-1", HTTPClient: tabletest.New(t), CreateTable: true, UniqueTokens: true, Suppressions: "all",
		RandomID: func() string { return "ledger" }, Clock: c,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
