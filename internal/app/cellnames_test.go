package app_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/rules"
)

// Whoever holds the ledger and nothing else must not find out which numbers are on the list by trying them all: the check of the identity key
// is in the ledger, the key is not.
func TestNumbersUnderAnIdentityKeyAreNotFoundByWhatTheLedgerHolds(t *testing.T) {
	t.Parallel()
	cells := memory.New(memory.Options{})
	naming := call.Naming{Mode: call.IdentityHMAC, Secret: bytes.Repeat([]byte{7}, 32)}
	number, err := call.ParsePhone("+819000000001")
	if err != nil {
		t.Fatal(err)
	}
	names, err := new(app.Config).CellNames(t.Context(), app.Options{LookupEnv: app.LookupNothing}, naming)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.NewDoNotCall(cells, names).Add(t.Context(), number, rules.DoNotCallEntry{Reason: "asked", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	guess := rules.NewDoNotCall(cells, rules.NewCellNames([]byte(naming.Check())))
	if _, listed, err := guess.Check(t.Context(), number); err != nil || listed {
		t.Errorf("found without the key: listed %t, %v", listed, err)
	}
	if _, listed, err := rules.NewDoNotCall(cells, names).Check(t.Context(), number); err != nil || !listed {
		t.Errorf("with the key: listed %t, %v", listed, err)
	}
}
