package httpapi_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// bank is a producer that nobody else may see.
var bank = access.Principal{Kind: access.Producer, Name: "bank", KeySpace: "bank"}

// watched is an index that remembers what it was asked for. It pages as shortly as it is told to.
type watched struct {
	call.Index

	mu    sync.Mutex
	limit int
	asked []call.Filter
}

// List implements call.Index.
func (i *watched) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	i.mu.Lock()
	i.asked = append(i.asked, f)
	if i.limit > 0 {
		f.Limit = i.limit
	}
	i.mu.Unlock()
	return i.Index.List(ctx, f)
}

func (i *watched) filters() []call.Filter {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked := i.asked
	i.asked = nil
	return asked
}

func watchedWorld(t *testing.T, limit int) (*world, *watched) {
	t.Helper()
	index := &watched{limit: limit}
	w := newWorld(t, func(o *httpapi.Options) {
		index.Index, o.Index = o.Index, index
	})
	return w, index
}

func (w *world) placed(who access.Principal, notification string) string {
	w.t.Helper()
	return w.want(w.do(&who, http.MethodPost, "/v1/calls", request(notification, 1)), http.StatusAccepted, "accepted").text("callId")
}

func TestACursorThatNamesAForeignCallDoesNotTellWhetherItExists(t *testing.T) {
	t.Parallel()
	w, _ := watchedWorld(t, 0)
	own := w.placed(clinic, "own")
	secret := w.placed(bank, "secret-7")
	never := w.app.Engine.Naming.Row(call.Key{KeySpace: "bank", Kind: call.KindVoice, NotificationID: "secret-6", RecipientID: "user-1"}, 0)
	for name, forge := range map[string]func(text string) string{
		"plain": func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) },
		"with the key of the ledger": func(text string) string {
			return httpapi.CursorOf(t, w.app.Store.Cells, clinic, text)
		},
	} {
		for _, path := range []string{"/v1/calls", "/v1/calls?keySpace=clinic", "/v1/doubts"} {
			var told []string
			for _, id := range []string{secret, never} {
				query := "?"
				if strings.Contains(path, "?") {
					query = "&"
				}
				a := w.do(&clinic, http.MethodGet, path+query+"cursor="+forge(`{"a":"`+id+`"}`), "")
				told = append(told, fmt.Sprint(a.Status, a.Text))
			}
			if told[0] != told[1] {
				t.Errorf("%s, %s: the call that exists is answered with %s, and one that does not with %s", name, path, told[0], told[1])
			}
		}
	}
	if a := w.do(&clinic, http.MethodGet, "/v1/calls?cursor="+httpapi.CursorOf(t, w.app.Store.Cells, clinic, `{"a":"`+own+`"}`), ""); a.Status != http.StatusOK || a.count("calls") != 0 {
		t.Errorf("after its own call: %d %s", a.Status, a.Text)
	}
}

func TestACursorOfAProducerTellsNothingOfTheLedgerAndServesNobodyElse(t *testing.T) {
	t.Parallel()
	w, _ := watchedWorld(t, 3)
	for n := range 4 {
		w.placed(clinic, fmt.Sprint("own-", n))
		w.placed(bank, fmt.Sprint("secret-", n))
		w.placed(shop, fmt.Sprint("shared-", n))
	}
	seen, cursor := map[string]bool{}, ""
	for page := 0; ; page++ {
		a := w.do(&clinic, http.MethodGet, "/v1/calls?limit=1&cursor="+cursor, "")
		if a.Status != http.StatusOK || page > 20 {
			t.Fatalf("page %d: %d %s", page, a.Status, a.Text)
		}
		for i := range a.count("calls") {
			if seen[a.text("calls", i, "id")] || a.text("calls", i, "keySpace") == "bank" {
				t.Errorf("listed twice, or of the bank: %s", a.Text)
			}
			seen[a.text("calls", i, "id")] = true
		}
		if cursor = a.text("nextCursor"); cursor == "" {
			break
		}
		if text, err := base64.RawURLEncoding.DecodeString(cursor); err != nil || strings.Contains(string(text), `"a":`) || strings.Contains(string(text), `"p":`) {
			t.Errorf("a cursor can be read: %s %v", text, err)
		}
		for name, other := range map[string]access.Principal{"another producer": shop, "an operator": reader} {
			if a := w.do(&other, http.MethodGet, "/v1/calls?limit=1&cursor="+cursor, ""); a.Status != http.StatusBadRequest || a.text("code") != "cursor_invalid" {
				t.Errorf("%s goes on with it: %d %s", name, a.Status, a.Text)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d of 8 calls were listed", len(seen))
	}
	a := w.do(&reader, http.MethodGet, "/v1/calls?limit=1", "")
	if next := w.do(&reader, http.MethodGet, "/v1/calls?limit=1&cursor="+a.text("nextCursor"), ""); next.count("calls") != 1 || next.text("calls", 0, "id") == a.text("calls", 0, "id") {
		t.Errorf("an operator's cursor: %s, then %s", a.Text, next.Text)
	}
}

func TestACursorGoesOnInAnotherProcessOfTheSameLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 3 {
		w.placed(shop, fmt.Sprint("n-", n))
	}
	first := w.do(&shop, http.MethodGet, "/v1/calls?limit=1", "")
	another, err := httpapi.New(w.options)
	if err != nil {
		t.Fatal(err)
	}
	w.handler = another
	if next := w.do(&shop, http.MethodGet, "/v1/calls?limit=5&cursor="+first.text("nextCursor"), ""); next.count("calls") != 2 {
		t.Errorf("%d %s", next.Status, next.Text)
	}
}

func TestALastPageDoesNotSayThatForeignCallsFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.placed(bank, "older")
	w.placed(clinic, "own")
	if a := w.do(&clinic, http.MethodGet, "/v1/calls?limit=1", ""); a.count("calls") != 1 || a.text("nextCursor") != "" {
		t.Error(a.Text)
	}
}

func TestAProducerThatAsksForAForeignKeySpaceDoesNotMakeTheIndexWalkIt(t *testing.T) {
	t.Parallel()
	w, index := watchedWorld(t, 1)
	for n := range 3 {
		w.placed(bank, fmt.Sprint("n-", n))
		w.placed(shop, fmt.Sprint("n-", n))
	}
	for _, who := range []access.Principal{shop, clinic} {
		for _, a := range []answer{
			w.do(&who, http.MethodGet, "/v1/calls?keySpace=bank", ""),
			w.do(&who, http.MethodGet, "/v1/calls?keySpace=", ""),
			w.do(&who, http.MethodPost, "/v1/calls:search", `{"keySpace":"bank"}`),
			w.do(&who, http.MethodPost, "/v1/calls:search", `{"keySpace":"bank","number":"+819000000001"}`),
		} {
			if a.Status != http.StatusOK || a.count("calls") != 0 || a.text("nextCursor") != "" {
				t.Errorf("%s: %d %s", who.Name, a.Status, a.Text)
			}
		}
		if asked := index.filters(); len(asked) > 0 {
			t.Errorf("%s made the index look: %+v", who.Name, asked)
		}
	}
	for _, path := range []string{"/v1/calls", "/v1/calls?keySpace=shop", "/v1/doubts", "/v1/producers"} {
		if a := w.do(&shop, http.MethodGet, path, ""); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Text)
		}
		asked := index.filters()
		for _, f := range asked {
			if !slices.Equal(f.KeySpaces, []string{"shop"}) {
				t.Errorf("%s made the index look through all key spaces: %+v", path, f)
			}
		}
		if len(asked) == 0 {
			t.Errorf("%s asked the index for nothing", path)
		}
	}
	if a := w.do(&reader, http.MethodGet, "/v1/calls?keySpace=bank", ""); a.count("calls") != 3 {
		t.Errorf("an operator: %s", a.Text)
	}
}
