package sim

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// trace is everything that happened, in order, as one hash: two runs of one seed must have the same. Ids that are random by design (of ops and
// attempts, and the invocation id of the SDK) are not part of it.
type trace struct {
	mu   sync.Mutex
	hash interface {
		Write(p []byte) (int, error)
		Sum(b []byte) []byte
	}
	buf   []byte
	lines *strings.Builder // nil when nobody wants to read them
}

func newTrace(tell bool) *trace {
	t := &trace{hash: fnv.New128a()}
	if tell {
		t.lines = &strings.Builder{}
	}
	return t
}

// add notes that something happened now.
func (t *trace) add(who, what, whom string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = strconv.AppendInt(t.buf[:0], time.Now().UnixNano(), 36)
	t.buf = append(append(t.buf, ' '), who...)
	t.buf = append(append(t.buf, ' '), what...)
	t.buf = append(append(append(t.buf, ' '), whom...), '\n')
	_, _ = t.hash.Write(t.buf)
	if t.lines != nil {
		fmt.Fprintf(t.lines, "%s %s %s %s\n", time.Now().UTC().Format("01-02T15:04:05.000000000"), who, what, whom)
	}
}

func (t *trace) sum() string { return hex.EncodeToString(t.hash.Sum(nil)) }

// Trace returns the hash of everything that happened.
func (w *World) Trace() string { return w.trace.sum() }

// Story returns the lines behind the hash, of a world that was told to keep them.
func (w *World) Story() string {
	if w.trace.lines == nil {
		return ""
	}
	return w.trace.lines.String()
}

// jitter lets effects of records that are worked on side by side happen at different instants, so that their order is the seed's and not the
// scheduler's: two waits that end together end in any order (testing/synctest). The wait follows from the effect alone.
func (w *World) jitter(_ context.Context, point, row string) {
	if w.Setting.Serial {
		return
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(point))
	_, _ = h.Write([]byte(row))
	_, _ = h.Write(strconv.AppendInt(nil, time.Now().UnixNano(), 10))
	_, _ = h.Write(strconv.AppendUint(nil, w.options.Seed, 10))
	time.Sleep(time.Duration(h.Sum64()%1_000_003) + 1)
}

// stagger lets the records of a batch go on from different instants where they ask for a pacing slot before any effect, which is where a key is not
// looked up first. Else which of them gets the last slot would be the scheduler's.
func (w *World) stagger(e *call.Engine) {
	if w.Setting.Serial || e.ReadFirst {
		return
	}
	token := e.Token
	e.Token = func(in call.TokenInput) (string, error) {
		made, err := token(in)
		w.jitter(context.Background(), "token", made)
		return made, err
	}
}

// name remembers what people call a row: the notification and the ring.
func (w *World) name(c call.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.names[c.ID]; known || c.Key.NotificationID == "" {
		return
	}
	name := keyName(c.Key)
	if c.Ring > 0 {
		name += "#" + strconv.Itoa(c.Ring)
	}
	w.names[c.ID] = name
}

func (w *World) nameOf(row string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[row]
}
