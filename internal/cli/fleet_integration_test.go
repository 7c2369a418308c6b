//go:build integration

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/pgtest"
)

const (
	fleetSize  = 3
	fleetRate  = 30 // dials a second that all processes share
	fleetBurst = 10
	fleetLanes = 24          // producers
	abandoned  = time.Minute // the lease of a dial
)

const fleetConfig = `
production: false
connect: {endpoint: %q, timeout: 10s}
ledger: {driver: postgres, dsn_file: %q, witness: %q}
pacing: {per_second: %d, burst: %d, patience: 200ms}
sweep: {every: 1s, limit: 200}
wake: {engine: river}
serve: {listen: "127.0.0.1:0", drain: 20s}
log: {level: warn}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100", outcome: "off"}
`

// fleetSetting is what is usual about a fleet, and what a test changes of it.
type fleetSetting struct {
	plan string        // of the faults of the telephone
	talk time.Duration // of its calls
	more string        // more configuration
}

// fleet is three processes of the built program on one database, whose telephone answers late, throttles and loses answers.
type fleet struct {
	t         *testing.T
	telephone *connectemu.Server
	binary    string
	members   [fleetSize]*member
	client    *http.Client
	rough     atomic.Int64 // requests that were not answered, or with 503
}

// member is one process at a time.
type member struct {
	config, home string
	cmd          *exec.Cmd
	out          *watched
	url          atomic.Value // string; empty while it is down
}

func newFleet(t *testing.T, change ...func(*fleetSetting)) *fleet {
	t.Helper()
	set := fleetSetting{plan: "seed=7; place-then-reset p=0.03; throttle p=0.02; place-then-delay(150ms) p=0.3", talk: time.Millisecond}
	for _, f := range change {
		f(&set)
	}
	plan, err := connectemu.ParsePlan(set.plan)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{t: t, binary: filepath.Join(t.TempDir(), "ringonce"), client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: fleetLanes}}}
	t.Cleanup(f.client.CloseIdleConnections)
	f.telephone, err = connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: set.talk, Faults: plan})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(f.telephone)
	t.Cleanup(func() { f.telephone.Close(); served.Close() })
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", f.binary, "github.com/ringonce/ringonce/cmd/ringonce").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	server := pgtest.Start(t)
	dsn := filepath.Join(t.TempDir(), "dsn")
	files := map[string]string{dsn: server.DSN(server.Schema(t), "")}
	for i := range f.members {
		m := &member{home: t.TempDir()}
		m.config = filepath.Join(m.home, "ringonce.yaml")
		files[m.config] = fmt.Sprintf(fleetConfig, served.URL, dsn, filepath.Join(m.home, "witness"), fleetRate, fleetBurst) + set.more
		m.url.Store("")
		f.members[i] = m
	}
	for file, text := range files {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, m := range f.members {
			if m.cmd != nil { // still there: the test failed
				_ = m.cmd.Process.Kill()
				_ = m.cmd.Wait()
			}
		}
	})
	for _, m := range f.members {
		f.start(m)
	}
	if t.Failed() {
		t.FailNow()
	}
	return f
}

var apiAddress = regexp.MustCompile(`(?m)^\s+api\s+(http://127\.0\.0\.1:\d+)$`)

// start starts a process and waits until it serves.
func (f *fleet) start(m *member) {
	m.out = &watched{}
	m.cmd = exec.Command(f.binary, "--config", m.config, "serve")
	m.cmd.Env = []string{"AWS_REGION=us-east-1", "HOME=" + m.home}
	m.cmd.Stdout, m.cmd.Stderr = m.out, m.out
	if err := m.cmd.Start(); err != nil {
		f.t.Errorf("start a process: %v", err)
		return
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if at := apiAddress.FindStringSubmatch(m.out.String()); at != nil {
			m.url.Store(at[1])
			return
		}
	}
	f.t.Errorf("a process does not serve:\n%s", m.out)
}

// kill ends a process without a word.
func (f *fleet) kill(m *member) {
	m.url.Store("")
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
}

// stop asks every process to end and sees that it does.
func (f *fleet) stop() {
	for _, m := range f.members {
		if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			f.t.Error(err)
		}
	}
	for _, m := range f.members {
		if err := m.cmd.Wait(); err != nil {
			f.t.Errorf("SIGTERM: %v\n%s", err, m.out)
		}
		m.cmd = nil
	}
}

// heard is what the API says of a call.
type heard struct {
	Answer string `json:"answer"`
	CallID string `json:"callId"`
	Call   struct {
		State     string `json:"state"`
		DueReason string `json:"dueReason"`
	} `json:"call"` // of the answer to a look
}

// ask sends a request, first to the member of a number, then to the others, until one answers it, as a producer does.
func (f *fleet) ask(ctx context.Context, first int, method, path, body string) (h heard, err error) {
	for try := 0; ctx.Err() == nil; try++ {
		url, _ := f.members[(first+try)%fleetSize].url.Load().(string)
		var status int
		var text []byte
		if url != "" {
			status, text, err = f.exchange(ctx, method, url+path, body)
		}
		if url == "" || err != nil || status >= http.StatusInternalServerError {
			f.rough.Add(1)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if status >= http.StatusBadRequest {
			return h, fmt.Errorf("%s %s: %d %s", method, path, status, text)
		}
		return h, json.Unmarshal(text, &h)
	}
	return h, ctx.Err()
}

func (f *fleet) exchange(ctx context.Context, method, url, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewBufferString(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := f.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// answering returns one of the emulator's telephones that can be rung: those that end in 94 and more are special (docs/emulator.md).
func answering(n int) string { return fmt.Sprintf("+120255501%02d", n%94) }

// live is the load of one request: the request, often a duplicate to another process at the same time or later, sometimes a cancel to the third.
func (f *fleet) live(ctx context.Context, n int, random *rand.Rand) (w wished, err error) {
	w.name = fmt.Sprintf("request %d", n)
	body := func(action string) string {
		return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-%d","destinationPhoneNumber":%q,"profile":"alert"%s}`, n, n, answering(n), action)
	}
	at := random.IntN(fleetSize)
	again, withdraw := random.Float64() < 0.5, random.Float64() < 0.1
	racing := make(chan error, 1)
	var raced heard
	if again {
		go func() {
			var err error
			raced, err = f.ask(ctx, at+1, http.MethodPost, "/v1/calls", body(""))
			racing <- err
		}()
	}
	h, err := f.ask(ctx, at, http.MethodPost, "/v1/calls", body(""))
	if again {
		if other := <-racing; err == nil && (other != nil || raced.CallID != h.CallID) {
			err = fmt.Errorf("the duplicate met call %q, not %q: %w", raced.CallID, h.CallID, other)
		}
	}
	if err != nil {
		return w, err
	}
	w.call = h.CallID
	if withdraw {
		w.cancelled = true
		_, err = f.ask(ctx, at+2, http.MethodPost, "/v1/calls", body(`,"action":"cancel"`))
	} else if random.Float64() < 0.3 {
		var late heard
		if late, err = f.ask(ctx, at+2, http.MethodPost, "/v1/calls", body("")); err == nil && late.CallID != w.call {
			err = fmt.Errorf("the late duplicate met call %q, not %q", late.CallID, w.call)
		}
	}
	return w, err
}

// TestThreeProcessesOnOneDatabaseRingEachRequestOnceWhileOneAfterTheOtherIsKilled is lived for two minutes; RINGONCE_FLEET_FOR lives it longer, with
// a kill every RINGONCE_FLEET_KILL.
func TestThreeProcessesOnOneDatabaseRingEachRequestOnceWhileOneAfterTheOtherIsKilled(t *testing.T) {
	t.Parallel() // beside what mostly waits
	lasts, every := lasting(t, "RINGONCE_FLEET_FOR", 2*time.Minute), lasting(t, "RINGONCE_FLEET_KILL", 10*time.Second)
	f := newFleet(t)
	ctx, cancel := context.WithTimeout(t.Context(), lasts*2+5*time.Minute)
	defer cancel()
	begun := time.Now()
	stopped := make(chan struct{})
	kills := 0
	// What a dead process was dialing waits for the end of its lease, so nobody is killed at the end of the load.
	last := max(lasts/2, lasts-abandoned)
	go func() { // one is down for a second, then it is back
		defer close(stopped)
		for ; time.Since(begun)+every < last; kills++ {
			time.Sleep(every - time.Second)
			m := f.members[kills%fleetSize]
			f.kill(m)
			time.Sleep(time.Second)
			f.start(m)
		}
	}()
	wishes := f.load(ctx, lasts)
	<-stopped
	loaded := time.Since(begun)
	f.settle(ctx, wishes)
	rings := f.telephone.Rings()
	f.stop()
	for _, wrong := range verdict(wishes, rings) {
		t.Error(wrong)
	}
	const within = 3 * time.Second
	if n, allowed := most(rings, within), fleetRate*3+fleetBurst; n > allowed+allowed/20+3 { // a ring's stamp is not its permit's
		t.Errorf("%d rings within %s, and all processes together may ring %d", n, within, allowed)
	}
	cancelled := 0
	for _, w := range wishes {
		if w.cancelled {
			cancelled++
		}
	}
	t.Logf("%d requests in %s, %d of them withdrawn, %d rings, %d kills, %d requests that met a dead process or 503; settled after %s; at most %d rings in %s",
		len(wishes), loaded.Round(time.Second), cancelled, len(rings), kills, f.rough.Load(), time.Since(begun).Round(time.Second), most(rings, within), within)
	if kills == 0 || len(rings) == 0 {
		t.Error("nothing was killed, or nothing rang: the run proves nothing")
	}
}

// lasting reads a duration of the environment.
func lasting(t *testing.T, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 2*time.Second {
		t.Fatalf("%s: %q is no duration of 2s or more", name, text)
	}
	return d
}

// load sends requests for a time, somewhat more than the pace takes.
func (f *fleet) load(ctx context.Context, lasts time.Duration) []wished {
	var mu sync.Mutex
	var wishes []wished
	var lanes sync.WaitGroup
	next := make(chan int)
	for lane := range fleetLanes {
		lanes.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(lane)))
			for n := range next {
				w, err := f.live(ctx, n, random)
				if err != nil {
					f.t.Errorf("%s: %v", w.name, err)
				}
				mu.Lock()
				wishes = append(wishes, w)
				mu.Unlock()
			}
		})
	}
	tick := time.NewTicker(time.Second / (fleetRate * 4 / 3))
	defer tick.Stop()
	for begun, n := time.Now(), 0; time.Since(begun) < lasts; n++ {
		next <- n
		<-tick.C
	}
	close(next)
	lanes.Wait()
	return wishes
}

// settle waits until every call has come to an end, and writes it down.
func (f *fleet) settle(ctx context.Context, wishes []wished) {
	f.t.Helper()
	left := make([]int, len(wishes))
	for i := range left {
		left[i] = i
	}
	for deadline := time.Now().Add(abandoned + 20*time.Second + time.Duration(len(wishes))*time.Second/fleetRate); len(left) > 0; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			for _, i := range left[:min(len(left), 5)] {
				f.t.Logf("%s is %s", wishes[i].name, wishes[i].state)
			}
			f.t.Errorf("%d calls are open", len(left))
			return
		}
		left = slices.DeleteFunc(left, func(i int) bool {
			if wishes[i].call == "" {
				return true
			}
			h, err := f.ask(ctx, i, http.MethodGet, "/v1/calls/"+wishes[i].call, "")
			if err != nil {
				f.t.Errorf("%s: %v", wishes[i].name, err)
				return true
			}
			wishes[i].state = h.Call.State
			if wishes[i].cancelled && h.Call.State == "dialing" && h.Call.DueReason == settling {
				wishes[i].state = settling // it may have rung and is sent no more: nobody can know before half an hour is over
				return true
			}
			return h.Call.State != "" && h.Call.State != "received" && h.Call.State != "dialing"
		})
	}
}
