//go:build integration

package cli

import (
	"bytes"
	"crypto/rand"
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
	"github.com/ringonce/ringonce/internal/pgtest"
)

const sharedConfig = `
production: false
connect: {endpoint: %q}
ledger: {driver: postgres, dsn_file: %q, witness: %q}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`

// shared runs commands on a ledger in PostgreSQL.
type shared struct {
	config, dir string
}

func (d shared) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := Process{
		Args: append([]string{"--config", d.config}, args...), Stdout: &out, Stderr: &out, Clock: app.SystemClock{}, Random: rand.Reader,
		Stores: stores.All(), LookupEnv: app.LookupNothing,
	}
	if code := p.Run(t.Context()); code != want {
		t.Fatalf("%q ended with %d, want %d\n%s", args, code, want, &out)
	}
	return out.String()
}

// deliver delivers the request of an id once.
func (d shared) deliver(t *testing.T, want int, id string) string {
	t.Helper()
	event := filepath.Join(d.dir, id+".json")
	body := fmt.Sprintf(`{"notificationId":%q,"recipientId":"r-1","destinationPhoneNumber":"+12025550101"}`, id)
	if err := os.WriteFile(event, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return d.run(t, want, "lambda-invoke", event)
}

// TestARestoredDatabaseDialsNothingUntilItIsRecovered counts rings: the emulator is the oracle.
func TestARestoredDatabaseDialsNothingUntilItIsRecovered(t *testing.T) {
	t.Parallel()
	telephone, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	connect := httptest.NewServer(telephone)
	t.Cleanup(func() { telephone.Close(); connect.Close() })
	rings := func(want int) {
		t.Helper()
		if got := telephone.RingCount(); got != want {
			t.Errorf("%d rings, want %d", got, want)
		}
	}
	server := pgtest.Start(t)
	d := shared{config: filepath.Join(t.TempDir(), "ringonce.yaml"), dir: t.TempDir()}
	dsn := filepath.Join(d.dir, "dsn")
	for file, text := range map[string]string{
		dsn: server.DSN(server.Schema(t), ""), d.config: fmt.Sprintf(sharedConfig, connect.URL, dsn, filepath.Join(t.TempDir(), "witness")),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		d.deliver(t, ExitOK, "n-1")
	}
	rings(1)
	d.run(t, ExitOK, "ledger", "verify")

	server.Stop(t)
	old := server.CopyData(t)
	server.Run(t)
	d.deliver(t, ExitOK, "n-2")
	rings(2)
	server.Stop(t)
	server.PutData(t, old, false)
	server.Run(t)
	if said := d.deliver(t, ExitEnvironment, "n-2"); !strings.Contains(said, "went back in time") {
		t.Errorf("a restored ledger: %s", said)
	}
	rings(2)
	if said := d.run(t, ExitRefused, "ledger", "recover"); !strings.Contains(said, "begin a recovery") {
		t.Errorf("the plan: %s", said)
	}
	d.run(t, ExitOK, "ledger", "recover", "--yes")
	d.deliver(t, ExitOK, "n-1")
	rings(2)
	d.run(t, ExitOK, "ledger", "verify")
	d.run(t, ExitOK, "ledger", "recover", "--close", "--yes")
	d.run(t, ExitOK, "calls", "forget", "r-1", "--reason", "request 7")
	d.run(t, ExitOK, "ledger", "verify")
}
