package cli

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
)

// TestAnErasureNamesTheCallsThatCannotBeReadAndEndsWithOne tears one of three rows.
func TestAnErasureNamesTheCallsThatCannotBeReadAndEndsWithOne(t *testing.T) {
	t.Parallel()
	telephone, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	connect := httptest.NewServer(telephone)
	t.Cleanup(func() { telephone.Close(); connect.Close() })
	dir := t.TempDir()
	config, database := filepath.Join(dir, "ringonce.yaml"), filepath.Join(dir, "calls.db")
	text := fmt.Sprintf(`
production: false
connect: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`, connect.URL, database, filepath.Join(t.TempDir(), "calls.witness"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, told bytes.Buffer
		p := Process{Args: append([]string{"--config", config}, args...), Stdout: &out, Stderr: &told, Clock: app.SystemClock{}, Random: rand.Reader, Stores: stores.All(), LookupEnv: app.LookupNothing}
		if code := p.Run(t.Context()); code != want {
			t.Fatalf("%q ended with %d, want %d\n%s%s", args, code, want, &out, &told)
		}
		return out.String(), told.String()
	}
	for n := range 3 {
		event := filepath.Join(dir, fmt.Sprintf("event-%d.json", n))
		body := fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+120255501%02d"}`, n, n)
		if err := os.WriteFile(event, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		run(ExitOK, "lambda-invoke", event)
	}
	db, err := sql.Open("sqlite", "file:"+database)
	if err != nil {
		t.Fatal(err)
	}
	var id string
	if err := db.QueryRowContext(t.Context(), "UPDATE calls SET doc = x'7b' WHERE number = 3 RETURNING id").Scan(&id); err != nil { // the newest, the first to be visited
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := run(ExitEnvironment, "calls", "forget", "r-1", "--reason", "request 7")
	if !strings.Contains(stdout, short(id)) || !strings.Contains(stdout, "not forgotten: ") || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "erased now 2 ") || !strings.Contains(stderr, "1 call is not forgotten") {
		t.Errorf("said\n%s%s", stdout, stderr)
	}
	stdout, _ = run(ExitEnvironment, "calls", "forget", "r-1", "--reason", "request 7", "--json")
	if !strings.Contains(stdout, `"erased":0`) || !strings.Contains(stdout, `"failed":[{"id":"`+id+`","error":"`) {
		t.Errorf("said\n%s", stdout)
	}
}
