package awsstores_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// handClock is moved by hand.
type handClock struct{ now time.Time }

func (c *handClock) Now() time.Time { return c.now }

func (*handClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// TestADataKeyThatCannotBeHadIsAnAlarm runs the wiring into a day that begins without KMS: the ledger is written, and the log says at the level of
// an error that somebody must look.
func TestADataKeyThatCannotBeHadIsAnAlarm(t *testing.T) {
	t.Parallel()
	table, kms := tabletest.New(t), kmstest.New()
	aws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		do := table.Do
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "TrentService") {
			do = kms.Do
		}
		answer, err := do(r)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body) // the client sees what is missing
	}))
	t.Cleanup(aws.Close)
	c, err := app.Parse("test.yaml", []byte(`
production: false
connect: {endpoint: "http://127.0.0.1:1"}
ledger: {driver: dynamodb, table: calls, region: us-east-1, endpoint: "`+aws.URL+`", create_table: true, kms_key: "`+kmstest.KeyARN+`"}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`))
	if err != nil {
		t.Fatal(err)
	}
	clock, log := &handClock{now: time.Date(2026, 11, 29, 23, 59, 59, 0, time.UTC)}, &bytes.Buffer{}
	a, err := app.New(t.Context(), c, app.Options{
		Stores: awsstores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing, Clock: clock, Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	note := call.Note{RowID: "row", Kind: call.NoteRefused}
	if err := a.Store.Journal.Note(t.Context(), note); err != nil || log.Len() > 0 {
		t.Fatalf("on the day before: %v, log %s", err, log)
	}
	kms.Break(func(string) kmstest.Refusal { return "DisabledException" })
	clock.now = clock.now.Add(2 * time.Second)
	if err := a.Store.Journal.Note(t.Context(), note); err != nil {
		t.Errorf("after midnight: %v", err)
	}
	line := log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, `"level":"ERROR","msg":"key-failed"`) || !strings.Contains(line, `"alarm":true`) {
		t.Errorf("the log says %s", line)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
