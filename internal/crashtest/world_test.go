package crashtest

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// window is how long a placed call suppresses its key; the clock of a run passes it several times.
const window = 10 * time.Minute

// world is a queue, a telephone network and a ledger's directory, which outlive every process.
type world struct {
	t        testing.TB
	setting  setting
	rng      *rand.Rand // of the load
	chance   *rand.Rand // of the points
	patient  bool       // lives are not cut short
	planned  string     // the next point, when the last one was its preparation
	dir      string
	self     string // this binary, which can be a victim
	clock    *connectemu.RunningClock
	ahead    time.Duration // of the clock, and of the victims'
	emulator *connectemu.Server
	truth    *os.File
	queue    *queue
	api      string // host:port of the Runtime API

	subjects   []*subject
	reopenable int // of them: the first ones, whose window has passed
	reopened   int // of those: were looked at already
	littered   int // messages that cannot be read
	dropped    int // of their records

	mu          sync.Mutex
	invocations int
	armed       point // outside of the process
	passed      int64
	running     *process
	heard       time.Time // when it first asked for a document
	findings    []string

	kills  []point
	drawn  []point        // of them: those that were no part of a chapter
	hits   map[string]int // of points at which a process died
	missed map[string]int // of points that a process was to die at and did not pass
	last   string         // log of the process before
	ending atomic.Bool    // the process was told to end

	onSend func() // called before a request that dials is served; may be nil
}

// setting is what differs between runs.
type setting struct {
	seed    uint64
	shipped string // the built binary; empty: victims do its part
	defect  string
	pacing  string // of the configuration
	faults  string // of the telephone, while processes are killed
	refuse  bool   // the victims' ledgers refuse some answers
	disk    string // size of a file system of the ledger's own; empty: the directory is one like others
}

// lossy is a telephone network that misbehaves a little.
const lossy = throttled + "place-then-reset p=0.05; throttle p=0.05; place-then-500 p=0.04; fail-500 p=0.03"

func newWorld(t testing.TB, s setting) *world {
	t.Helper()
	w := &world{
		t: t, setting: s, rng: rand.New(rand.NewPCG(s.seed, 5)), chance: rand.New(rand.NewPCG(s.seed, 7)), dir: t.TempDir(), clock: connectemu.NewRunningClock(),
		hits: map[string]int{}, missed: map[string]int{},
	}
	w.queue = newQueue(rand.New(rand.NewPCG(s.seed, 6)))
	var err error
	if w.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ledger", "witness"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if s.disk != "" {
		if err := syscall.Mount("tmpfs", w.path("ledger"), "tmpfs", 0, "size="+s.disk); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(w.path("ledger"), syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	if w.truth, err = os.Create(w.path("truth.log")); err != nil {
		t.Fatal(err)
	}
	plan, err := connectemu.ParsePlan(s.faults)
	if err != nil {
		t.Fatal(err)
	}
	w.emulator, err = connectemu.New(connectemu.Config{
		Clock: w.clock, Seed: s.seed, TruthLog: w.truth, Faults: plan, StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off,
		SearchRate: connectemu.Unlimited, DescribeRate: connectemu.Unlimited, // every life keeps to the pace of looks anew, which together they would exceed
	})
	if err != nil {
		t.Fatal(err)
	}
	phone, api := httptest.NewServer(w.telephone()), httptest.NewServer(w.runtimeAPI())
	w.api = strings.TrimPrefix(api.URL, "http://")
	t.Cleanup(func() {
		if w.running != nil {
			w.running.kill()
		}
		w.emulator.Close()
		api.CloseClientConnections()
		api.Close()
		phone.CloseClientConnections()
		phone.Close()
		_ = w.truth.Close() // it is closed already after a whole run
	})
	if err := os.WriteFile(w.path("ringonce.yaml"), []byte(w.config(phone.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// find notes what must not be.
func (w *world) find(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, fmt.Sprintf(format, args...))
}

// pass lets time pass while no process lives.
func (w *world) pass(d time.Duration) {
	w.clock.Advance(d)
	w.ahead += d
}

// passing is one passage of a point outside of the process. It kills the process if it is to die here, and says whether it did.
func (w *world) passing(name string) (died bool) {
	w.mu.Lock()
	if w.armed.name == name {
		w.passed++
		died = w.passed == w.armed.nth
	}
	victim := w.running
	w.mu.Unlock()
	if died {
		victim.kill()
	}
	return died
}

// launch starts a process of either binary.
func (w *world) launch(shipped bool, p point, args ...string) *process {
	env := []string{
		"AWS_LAMBDA_RUNTIME_API=" + w.api, "AWS_REGION=us-east-1", "HOME=" + w.dir, "TMPDIR=" + w.dir, "RINGONCE_CONFIG=" + w.path("ringonce.yaml"),
	}
	if shipped {
		return startProcess(w.t, w.dir, w.setting.shipped, env, args...)
	}
	env = append(env, victimVariable+"=1", aheadVariable+"="+w.ahead.String(), defectVariable+"="+w.setting.defect)
	if w.setting.refuse {
		env = append(env, fmt.Sprintf("%s=%d", faultVariable, 1+w.rng.Uint64N(1<<40)))
	}
	if p.name != "" {
		env = append(env, pointVariable+"="+p.String())
	}
	return startProcess(w.t, w.dir, w.self, env, args...)
}
