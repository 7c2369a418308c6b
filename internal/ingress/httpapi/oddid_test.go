package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// errEncoding is what PostgreSQL says of a text that it cannot hold (SQLSTATE 22021).
var errEncoding = errors.New("invalid byte sequence for encoding UTF8")

// strict is a ledger that holds texts as PostgreSQL does, and an observer that hears alarms.
type strict struct {
	call.Ledger
	call.Index
	call.Observer

	mu     sync.Mutex
	alarms []call.Decided
}

func storable(text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return errEncoding
	}
	return nil
}

// Get implements call.Ledger.
func (s *strict) Get(ctx context.Context, id string) (call.Call, error) {
	if err := storable(id); err != nil {
		return call.Call{}, err
	}
	return s.Ledger.Get(ctx, id)
}

// ByContact implements call.Index.
func (s *strict) ByContact(ctx context.Context, id string) (string, error) {
	if err := storable(id); err != nil {
		return "", err
	}
	return s.Index.ByContact(ctx, id)
}

// List implements call.Index.
func (s *strict) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	if err := storable(strings.Join(f.KeySpaces, "")); err != nil {
		return nil, "", err
	}
	return s.Index.List(ctx, f)
}

// Decided implements call.Observer.
func (s *strict) Decided(ctx context.Context, d call.Decided) {
	if d.Alarm {
		s.mu.Lock()
		s.alarms = append(s.alarms, d)
		s.mu.Unlock()
	}
	s.Observer.Decided(ctx, d)
}

func TestATextThatNoLedgerHoldsIsNotFoundAndRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	s := &strict{}
	w := newWorld(t, func(o *httpapi.Options) {
		s.Ledger, s.Index, s.Observer = o.Ledger, o.Index, o.Observer
		o.Ledger, o.Index, o.Observer = s, s, s
	})
	w.placed(shop, "n")
	for _, odd := range []string{"%00", "%ff", "a%00", strings.Repeat("A", 42) + "%0a", strings.Repeat("A", 44), strings.Repeat("%C3%A9", 20)} {
		for _, at := range []struct{ method, before, after, body string }{
			{"GET", "/v1/calls/", "", ""},
			{"GET", "/v1/calls/", "/suppressed", ""},
			{"GET", "/v1/doubts/", "", ""},
			{"POST", "/v1/calls/", "/cancel", ""},
			{"POST", "/v1/calls/", "/acknowledge", ""},
			{"POST", "/v1/calls/", "/recall", `{"reason":"again"}`},
			{"POST", "/v1/calls/", "/close", `{"note":"seen"}`},
			{"POST", "/v1/held/", "/release", `{"reason":"now"}`},
			{"POST", "/v1/held/", "/drop", `{"reason":"never"}`},
		} {
			who := shop
			if strings.Contains(at.body, "reason") || strings.Contains(at.body, "note") {
				who = keeper
			}
			a := w.do(&who, at.method, at.before+odd+at.after, at.body)
			if a.Status != http.StatusNotFound || a.text("code") != "not_found" {
				t.Errorf("%s %s%s%s: %d %s", at.method, at.before, odd, at.after, a.Status, a.Text)
			}
		}
		for _, name := range []string{"contactId", "keySpace", "producer", "notificationId", "recipientId", "recallId", "profile", "outcome"} {
			for _, who := range []struct{ name, path string }{{"shop", "/v1/calls?"}, {"olga", "/v1/calls?"}} {
				asker := shop
				if who.name == "olga" {
					asker = keeper
				}
				if a := w.do(&asker, "GET", who.path+name+"="+odd, ""); a.Status == http.StatusOK && a.count("calls") != 0 || a.Status >= 500 {
					t.Errorf("%s, %s=%s: %d %s", who.name, name, odd, a.Status, a.Text)
				}
			}
		}
	}
	for _, body := range []string{`{"keySpace":"\u0000"}`, `{"contactId":"\u0000"}`, `{"keySpace":"\u0000","number":"+819000000001"}`} {
		if a := w.do(&keeper, "POST", "/v1/calls:search", body); a.Status != http.StatusOK || a.count("calls") != 0 {
			t.Errorf("%s: %d %s", body, a.Status, a.Text)
		}
	}
	for _, filter := range []string{`{"ids":["\u0000"]}`, `{"keySpace":"\u0000"}`, `{"contactId":"\u0000"}`} {
		w.want(w.do(&admin, "POST", "/v1/recalls", `{"filter":`+filter+`,"reason":"again"}`), http.StatusUnprocessableEntity, "no_calls")
		if a := w.do(&admin, "POST", "/v1/recalls", `{"filter":`+filter+`,"reason":"again","dryRun":true}`); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", filter, a.Status, a.Text)
		}
	}
	for _, path := range []string{"/v1/orders/%00", "/v1/orders/%ff"} {
		if a := w.do(&reader, "GET", path, ""); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, a.Status, a.Text)
		}
	}
	if len(s.alarms) > 0 {
		t.Errorf("%d alarms, the first %+v", len(s.alarms), s.alarms[0])
	}
}
