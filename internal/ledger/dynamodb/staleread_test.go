package dynamodb

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// laggard is a table whose eventually consistent reads have not heard of anything yet.
type laggard struct{ *tabletest.Table }

func (l laggard) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem") && !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
	}
	return l.Table.Do(r)
}

// terse is a table that answers a lost compare with an empty item, as some servers do instead of leaving it out.
type terse struct{ *tabletest.Table }

func (e terse) Do(r *http.Request) (*http.Response, error) {
	response, err := e.Table.Do(r)
	if err != nil || response.StatusCode != http.StatusBadRequest {
		return response, err
	}
	answer := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	answer["Item"] = map[string]any{}
	text, err := json.Marshal(answer)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return response, err
}

func tombstone(t *testing.T, op string) call.Write {
	t.Helper()
	w, err := call.Begin("row-of-a-call").Write(call.Event{
		Kind: call.EventTombstone, At: stillClock{}.Now(), Opening: &call.Opening{Key: call.Key{Kind: call.KindVoice, NotificationID: "n", RecipientID: "r"}},
	}, op)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestALostCompareThatIsAnsweredWithAnEmptyItemIsRead(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	winner := tombstone(t, "0102030405060708")
	if _, err := f.open(nil).Create(t.Context(), winner); err != nil {
		t.Fatal(err)
	}
	l := f.open(func(o *Options) { o.HTTPClient = terse{f.Table} })
	written, err := l.Create(t.Context(), tombstone(t, "0807060504030201"))
	if err != nil || written.Applied || written.Row.Head != winner.Row.Head {
		t.Errorf("applied %v, head %s: %v", written.Applied, written.Row.Head, err)
	}
}

func TestAReadSeesEveryAnsweredWriteAndAPeekNeedNot(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	writer := f.open(nil)
	w := tombstone(t, "0102030405060708")
	if _, err := writer.Create(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	reader := f.open(func(o *Options) { o.HTTPClient = laggard{f.Table} })
	if c, err := reader.Get(t.Context(), w.Row.ID); err != nil || c.State != call.Canceled {
		t.Errorf("%s: %v", c.State, err)
	}
	if entries, err := reader.History(t.Context(), w.Row.ID); err != nil || len(entries) != 1 {
		t.Errorf("%d entries: %v", len(entries), err)
	}
	if _, err := reader.Peek(t.Context(), w.Row.ID); !errors.Is(err, call.ErrNotFound) {
		t.Errorf("a peek that asks for more than it needs: %v", err)
	}
}
