package dynamodb

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV17TwoRegionsNeverOwnOneCall(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.Replicas = true // a global table whose replicas follow later
	_, err := f.opened(func(*Options) {})
	if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != "ledger.table" || !strings.Contains(refused.Message+refused.Fix, "consisten") {
		t.Errorf("a global table that is not strongly consistent: %v", err)
	}
	f.Replicas = false // one place: two instances, one conditional write
	one, two := f.open(nil), f.open(nil)
	first, err := one.Create(t.Context(), accepted(t, "a", nil))
	if err != nil || !first.Applied {
		t.Fatal(err)
	}
	other := accepted(t, "a", nil)
	other.Entry.Op = "of another instance"
	second, err := two.Create(t.Context(), other)
	if err != nil || second.Applied || second.Row.Version != 1 {
		t.Errorf("both own it: %+v, %v", second, err)
	}
}
