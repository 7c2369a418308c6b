package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// twins are two ledgers that are told the same and must answer the same.
type twins struct {
	t             *rapid.T
	model, driver ledgertest.Ledger
}

// TestBothDriversAnswerAlike tells random stories, with few ids, tokens and ops, so that they clash often.
func TestBothDriversAnswerAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		o := settings(t)
		l, err := sqlite.Open(t.Context(), o)
		if err != nil {
			r.Fatal(err)
		}
		x := &twins{t: r, model: memory.New(memory.Options{}), driver: l}
		r.Repeat(map[string]func(*rapid.T){
			"create": func(r *rapid.T) { x.create(t) },
			"update": func(r *rapid.T) { x.update(t) },
			"read":   func(r *rapid.T) { x.read(t) },
			"outgrow the sieves": func(r *rapid.T) {
				if l, ok := x.driver.(*sqlite.Ledger); ok && rapid.IntRange(0, 5).Draw(r, "not yet") == 0 {
					l.FillSieves()
				}
			},
			"reopen": func(r *rapid.T) {
				if rapid.IntRange(0, 5).Draw(r, "not now") > 0 {
					return // opening takes longer than everything else
				}
				if dying, ok := x.driver.(*sqlite.Ledger); ok && rapid.Bool().Draw(r, "by a crash") {
					dying.Kill()
				}
				if err := x.driver.Close(); err != nil {
					r.Fatal(err)
				}
				if x.driver, err = sqlite.Open(t.Context(), o); err != nil {
					r.Fatal(err)
				}
			},
		})
		if err := x.driver.Close(); err != nil {
			r.Fatal(err)
		}
	})
}

func (x *twins) draw(what string, most int) string {
	return fmt.Sprintf("%s-%d", what, rapid.IntRange(0, most).Draw(x.t, what))
}

func (x *twins) create(t *testing.T) {
	w := accepted(t, x.draw("row", 3))
	w.Row.Token = x.draw("token", 3)
	if w.Row.Token == "token-0" {
		w.Row.Token = ""
	}
	w.Entry.Op = x.draw("op", 12)
	x.alike(x.model.Create(t.Context(), w))(x.driver.Create(t.Context(), w))
}

func (x *twins) update(t *testing.T) {
	base, err := x.model.Get(t.Context(), x.draw("row", 3))
	if errors.Is(err, call.ErrNotFound) {
		base = accepted(t, "row-9").Row
	}
	base.Version += int64(rapid.IntRange(-1, 1).Draw(x.t, "off"))
	event := call.Event{Kind: call.EventHeld, At: noon, Due: noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(x.t, "due")) * time.Minute), Reason: "test"}
	if rapid.IntRange(0, 4).Draw(x.t, "placed") == 0 {
		event = call.Event{Kind: call.EventContact, At: noon, ContactID: x.draw("contact", 2), From: "event"}
	}
	w := write(t, base, event, x.draw("op", 12))
	if rapid.IntRange(0, 3).Draw(x.t, "moves its token") == 0 {
		w.Row.Token = x.draw("token", 3)
	}
	x.alike(x.model.Update(t.Context(), w))(x.driver.Update(t.Context(), w))
}

func (x *twins) alike(a call.Written, aErr error) func(call.Written, error) {
	return func(b call.Written, bErr error) {
		for _, known := range []error{nil, call.ErrNotFound, call.ErrTokenTaken} {
			if errors.Is(aErr, known) != errors.Is(bErr, known) {
				x.t.Fatalf("errors differ: %v and %v", aErr, bErr)
			}
		}
		if a.Applied != b.Applied || !bytes.Equal(encoded(x.t, a.Row), encoded(x.t, b.Row)) {
			x.t.Fatalf("answers differ: %+v and %+v", a, b)
		}
	}
}

func encoded(t *rapid.T, c call.Call) []byte {
	doc, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// read compares everything that can be asked.
func (x *twins) read(t *testing.T) {
	for _, l := range []func(ledgertest.Ledger) (any, error){
		func(l ledgertest.Ledger) (any, error) { return l.Due(t.Context(), noon.Add(2*time.Minute), 10) },
		func(l ledgertest.Ledger) (any, error) { return l.ByContact(t.Context(), "contact-1") },
		func(l ledgertest.Ledger) (any, error) {
			return l.ByRecipient(t.Context(), call.Naming{}.Recipient("", "recipient"), 3)
		},
		func(l ledgertest.Ledger) (any, error) { return l.History(t.Context(), "row-1") },
		func(l ledgertest.Ledger) (any, error) {
			page, _, err := l.List(t.Context(), call.Filter{States: []call.State{call.Received}})
			return page, err
		},
		func(l ledgertest.Ledger) (any, error) {
			identity, err := l.Identity(t.Context())
			return []any{identity.HighWater, identity.LastWrite, identity.Epoch}, err
		},
	} {
		a, aErr := l(x.model)
		b, bErr := l(x.driver)
		if errors.Is(aErr, call.ErrNotFound) != errors.Is(bErr, call.ErrNotFound) || (aErr == nil) != (bErr == nil) {
			x.t.Fatalf("errors differ: %v and %v", aErr, bErr)
		}
		if fmt.Sprint(a) != fmt.Sprint(b) && !reflect.DeepEqual(a, b) {
			x.t.Fatalf("answers differ:\n%v\n%v", a, b)
		}
	}
}
