package crashtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// point is where a process dies: the nth passage of a name, or some time after its start.
type point struct {
	name string // empty: by time alone
	nth  int64
	at   time.Duration // with an empty name
}

// String returns the form that parsePoint reads, such as "commit:after#2" or "time=35ms".
func (p point) String() string {
	if p.name == "" {
		return "time=" + p.at.String()
	}
	return p.name + "#" + strconv.FormatInt(p.nth, 10)
}

// parsePoint reads one point; the empty text is no point, which never comes.
func parsePoint(text string) (point, error) {
	if text == "" {
		return point{}, nil
	}
	if at, ok := strings.CutPrefix(text, "time="); ok {
		d, err := time.ParseDuration(at)
		return point{at: d}, err
	}
	name, nth, found := strings.Cut(text, "#")
	n, err := strconv.ParseInt(nth, 10, 64)
	if !found || err != nil || n < 1 {
		return point{}, fmt.Errorf("%q is no point: write name#n or time=35ms", text)
	}
	return point{name: name, nth: n}, nil
}

// trap kills its own process at a point.
type trap struct {
	point  point
	known  map[string]bool // insidePoints
	passed atomic.Int64
}

func newTrap(p point) *trap {
	t := &trap{point: p, known: map[string]bool{}}
	for _, name := range insidePoints() {
		t.known[name] = true
	}
	return t
}

// around is the passage before an effect, and returns the one after it.
func (t *trap) around(effect string) (done func()) {
	t.at(effect + before)
	return func() { t.at(effect + after) }
}

// at is one passage. SIGKILL cannot be caught, and nothing of this process runs after it. A process that passes what no list names ends in another way,
// which is found: nobody would ever have died there.
func (t *trap) at(name string) {
	if !t.known[name] {
		fmt.Fprintf(os.Stderr, "victim: %q is in no list of effects\n", name)
		os.Exit(1)
	}
	if name != t.point.name || t.passed.Add(1) != t.point.nth {
		return
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {} // until the signal is delivered
}
