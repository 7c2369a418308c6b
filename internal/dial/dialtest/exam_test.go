package dialtest_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/dialtest"
)

// liar answers everything with a success and sends nothing.
type liar struct{}

func (liar) Prepare(call.Order) ([]byte, error) { return []byte("{}"), nil }

func (liar) Dial(context.Context, call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: "c"}
}

func (liar) Describe(_ context.Context, _ call.Target, id string) (call.Contact, error) {
	return call.Contact{ID: id}, nil
}

func (liar) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

func (liar) Stop(context.Context, call.Target, string) error { return nil }

func TestADialerThatSendsNothingFailsAlmostEverything(t *testing.T) {
	t.Parallel()
	failing := dialtest.Failing(t, func(testing.TB, *dialtest.Lab) call.Dialer { return liar{} })
	passing := 0
	for _, check := range dialtest.Checks() {
		if !slices.Contains(failing, check.Name) {
			passing++
			name, _, _ := strings.Cut(check.Name, " (")
			if name != "prepare/equal orders, equal bytes" && name != "answer/numbers are masked" {
				t.Errorf("%q asks too little: a dialer that sends nothing passes it", check.Name)
			}
		}
	}
	if passing > 2*len(call.Kinds()) || len(failing) == 0 {
		t.Errorf("%d checks pass, %d fail", passing, len(failing))
	}
}

func TestEveryCheckHasANameOfItsOwnAndAPart(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, check := range dialtest.Checks() {
		if part, rest, ok := strings.Cut(check.Name, "/"); !ok || part == "" || rest == "" || seen[check.Name] {
			t.Errorf("the name %q is taken or has no part", check.Name)
		}
		seen[check.Name] = true
	}
}
