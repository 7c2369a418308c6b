package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
)

const measuredConfig = `
production: false
connect: {endpoint: "http://127.0.0.1:7465"}
ledger: {driver: sqlite, path: %q, witness: %q}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

// measuring is a home with a telephone in it.
type measuring struct {
	t        *testing.T
	emulator *connectemu.Server
	config   string
	state    string
	asked    time.Time
}

func newMeasuring(t *testing.T, reading connectemu.Reading) *measuring {
	t.Helper()
	emulator, err := connectemu.New(connectemu.Config{Reading: reading, Flows: []string{"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	dir := t.TempDir()
	m := &measuring{t: t, emulator: emulator, config: filepath.Join(dir, "ringonce.yaml"), state: filepath.Join(dir, "state.json")}
	witness := filepath.Join(t.TempDir(), "witness")
	if err := os.WriteFile(m.config, fmt.Appendf(nil, measuredConfig, filepath.Join(dir, "calls.db"), witness), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// Read answers every question with the rings that were heard since the answer before: it is the person's hand on the keys.
func (m *measuring) Read(p []byte) (int, error) {
	heard := 0
	now := time.Now()
	for _, ring := range m.emulator.RingsFor("+819000000001") {
		if !ring.At.Before(m.asked) {
			heard++
		}
	}
	m.asked = now
	return copy(p, fmt.Sprintln(heard)), nil
}

func (m *measuring) run(arguments ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Process{
		Args: append([]string{"--config", m.config, "doctor"}, arguments...), Stdin: m, Stdout: &out, Stderr: &errs, LookupEnv: app.LookupNothing,
		Clock: app.SystemClock{}, Random: rand.NewChaCha8([32]byte{7}), Stores: stores.All(), HTTP: &http.Client{Transport: m.emulator.RoundTripper()},
	}.Run(context.Background())
	return code, out.String(), errs.String()
}

// days passes the given time, in a bubble at once.
func days(d time.Duration) { time.Sleep(d) }

func TestATokenIsMeasuredOverSixDaysAndRecorded(t *testing.T) {
	for reading, want := range map[connectemu.Reading]string{connectemu.A1: "A1", connectemu.A1Prime: "A1'"} {
		synctest.Test(t, func(t *testing.T) {
			m := newMeasuring(t, reading)
			arguments := []string{"--measure-token", "--to", "+819000000001", "--state", m.state, "--yes-ring-my-phone", "--json"}
			var last measured
			for run := 1; ; run++ {
				code, stdout, stderr := m.run(arguments...)
				if code != ExitOK {
					t.Fatalf("run %d ended with %d: %s%s", run, code, stdout, stderr)
				}
				last = measured{}
				if err := json.Unmarshal([]byte(stdout), &last); err != nil {
					t.Fatalf("run %d printed %q: %v", run, stdout, err)
				}
				if strings.Contains(stdout+stderr, "+819000000001") || run == 1 && !strings.Contains(stderr, "This rings your telephone at most 5 times over 6 days.") {
					t.Errorf("run %d said %q", run, stderr)
				}
				if last.ComeBack.IsZero() {
					break
				}
				days(time.Until(last.ComeBack))
			}
			if last.Verdict.Reading != want || !last.Recorded || last.Rings != m.emulator.RingCount() || len(last.Findings) != 4 {
				t.Errorf("%s: the last run printed %+v after %d rings", want, last, m.emulator.RingCount())
			}
			rings := m.emulator.RingCount()
			code, stdout, _ := m.run(arguments[:len(arguments)-1]...) // a measurement that is complete says so again, and rings nobody
			if code != ExitOK || !strings.Contains(stdout, "reading  "+want+"\n") || m.emulator.RingCount() != rings {
				t.Errorf("run again: %d, %q, %d rings", code, stdout, m.emulator.RingCount()-rings)
			}
			code, stdout, _ = m.run()
			if fault := strings.Contains(stdout, "fault    resend"); fault != (want == "A1'") || fault != (code == ExitRefused) {
				t.Errorf("the doctor ends with %d and says %s", code, stdout)
			}
		})
	}
}

func TestNoTelephoneIsRungWithoutConsent(t *testing.T) {
	t.Parallel()
	m := newMeasuring(t, connectemu.A1)
	for name, c := range map[string]struct {
		arguments []string
		why       string
	}{
		"no terminal": {[]string{"--measure-token", "--to", "+819000000001", "--state", m.state}, "There is no terminal to ask for consent on."},
		"no number":   {[]string{"--measure-token", "--state", m.state, "--yes-ring-my-phone"}, "--measure-token needs --to."},
		"no state":    {[]string{"--measure-token", "--to", "+819000000001", "--yes-ring-my-phone"}, "--measure-token needs --state."},
		"no measure":  {[]string{"--to", "+819000000001"}, "without --measure-token"},
	} {
		code, _, stderr := m.run(c.arguments...)
		if code != ExitUsage || !strings.Contains(stderr, c.why) {
			t.Errorf("%s: ended with %d: %s", name, code, stderr)
		}
	}
	if rings := m.emulator.RingCount(); rings != 0 {
		t.Errorf("%d rings", rings)
	}
}
