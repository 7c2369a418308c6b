package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

// shifted is the machine's clock, moved ahead by hand: hours of waiting cost a test nothing.
type shifted struct {
	connectemu.WallClock

	mu sync.Mutex
	by time.Duration
}

func (s *shifted) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WallClock.Now().Round(0).Add(s.by)
}

func (s *shifted) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by += d
}

// desk is an operator's: the command line, a ledger in a file, and a telephone network of the same clock.
type desk struct {
	t         *testing.T
	clock     *shifted
	telephone *connectemu.Server
	flow      connectemu.FlowFunction // what flows invoke while a test lets them run; nil: nothing answers
	dir       string
	config    string
	stdin     string
}

// newDesk makes a desk; more is added to the settings of its one profile.
func newDesk(t *testing.T, more string) *desk {
	t.Helper()
	d := &desk{t: t, clock: &shifted{}, dir: t.TempDir()}
	var err error
	d.telephone, err = connectemu.New(connectemu.Config{
		Clock: d.clock, StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: time.Millisecond,
		SearchDelay: 365 * 24 * time.Hour, // a search that finds nothing is what makes a doubt
		FlowFunction: func(ctx context.Context, document []byte) ([]byte, error) {
			if d.flow == nil {
				return nil, errors.New("nothing answers flows")
			}
			return d.flow(ctx, document)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	connect := httptest.NewServer(d.telephone)
	t.Cleanup(func() { d.telephone.Close(); connect.Close() })
	d.config = filepath.Join(d.dir, "ringonce.yaml")
	d.write("ringonce.yaml", fmt.Sprintf(`
production: false
connect: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"%s}
`, connect.URL, filepath.Join(d.dir, "calls.db"), filepath.Join(t.TempDir(), "calls.witness"), more))
	return d
}

func (d *desk) write(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) faults(plan string) {
	d.t.Helper()
	p, err := connectemu.ParsePlan(plan)
	if err == nil {
		err = d.telephone.SetPlan(p)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// run runs a command line and compares its exit code. No full number may be printed.
func (d *desk) run(want int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	var out, told bytes.Buffer
	p := Process{
		Args: append([]string{"--config", d.config}, args...), Stdin: strings.NewReader(d.stdin), Stdout: &out, Stderr: &told, Clock: d.clock, Random: rand.Reader,
		Stores: stores.All(), LookupEnv: app.LookupNothing,
	}
	if code := p.Run(d.t.Context()); code != want {
		d.t.Fatalf("%q ended with %d, want %d\n%s%s", args, code, want, &out, &told)
	}
	if found := regexp.MustCompile(`\+?(12025550\d{3}|819000000\d{3})`).FindString(out.String() + told.String()); found != "" {
		d.t.Errorf("%q printed %s in full", args, found)
	}
	return out.String(), told.String()
}

// environment is what a command of this desk runs in, on a clock of its own.
func (d *desk) environment(clock call.Clock) *environment {
	return &environment{
		Process: Process{
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Clock: clock, Random: rand.Reader, Stores: stores.All(), LookupEnv: app.LookupNothing,
		},
		commands: &commands{Config: d.config},
	}
}

// request hands a request to the handler and lets it sweep or not.
func (d *desk) request(want int, notification, number string, flags ...string) {
	d.t.Helper()
	event := d.write(notification+".json", fmt.Sprintf(`{"notificationId":%q,"recipientId":"user-1","destinationPhoneNumber":%q,"requestedAt":%q}`,
		notification, number, d.clock.Now().Format(time.RFC3339Nano)))
	d.run(want, append(append([]string{"lambda-invoke"}, flags...), event)...)
}

// again delivers an event once more.
func (d *desk) again(want int, notification string) {
	d.t.Helper()
	d.run(want, "lambda-invoke", filepath.Join(d.dir, notification+".json"))
}

// each reads one JSON object a line.
func each[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, one)
	}
	return all
}

// says fails for each text that is missing.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(squeezed, part) {
			t.Errorf("it does not say %q:\n%s", part, text)
		}
	}
}
