package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/disktest"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// shape is what a ledger is doing when its power is cut.
type shape struct {
	name       string
	writers    int // at once: more than one makes groups
	acts       int // of each writer
	checkpoint int // pages of log after which SQLite writes them to the file; 0 leaves the driver's own setting
	fresh      bool
}

var shapes = []shape{
	{name: "one writer", writers: 1, acts: 10},
	{name: "groups", writers: 12, acts: 3},
	{name: "one writer, many checkpoints", writers: 1, acts: 8, checkpoint: 4},
	{name: "groups, many checkpoints", writers: 8, acts: 4, checkpoint: 8},
	{name: "the first start", writers: 1, acts: 2, fresh: true},
}

// weakness is what makes a ledger lose what it answered.
type weakness struct {
	weaken  func(*sqlite.Ledger) error
	ignores func(name string) bool
	early   bool // it shows in the first start alone
}

// powered is a ledger on a disk that can lose its power.
type powered struct {
	t     *testing.T
	disk  *disktest.Disk
	shape shape
	weak  weakness
}

var disks atomic.Int64

const (
	ledgerFile  = "/ledger/ledger.db"
	witnessFile = "/state/witness"
)

// keptWitness is a witness on such a disk.
type keptWitness struct {
	*disktest.File

	disk *disktest.Disk
}

func (w keptWitness) Keep() error {
	return errors.Join(w.File.Sync(), w.disk.SyncFolder(path.Dir(witnessFile)))
}

// open opens the ledger as Open does, on another build of SQLite and another disk. close must be called also after an error.
func (p *powered) open() (l *sqlite.Ledger, closeAll func() error, err error) {
	p.t.Helper()
	name := fmt.Sprintf("disk-%d", disks.Add(1))
	shared, err := os.MkdirTemp(p.t.TempDir(), "shared")
	if err != nil {
		p.t.Fatal(err)
	}
	unregister := p.disk.SQLite(name, shared)
	pragmas := slices.Clone(sqlite.Pragmas())
	if p.shape.checkpoint > 0 {
		pragmas = append(pragmas, fmt.Sprintf("wal_autocheckpoint(%d)", p.shape.checkpoint))
	}
	database := func(more ...string) *sql.DB {
		query := url.Values{"vfs": {name}, "_pragma": append(slices.Clone(pragmas), more...)}
		db, err := driver.Open("file:" + ledgerFile + "?" + query.Encode())
		if err != nil {
			p.t.Fatal(err)
		}
		return db
	}
	o := sqlite.Options{
		Path: filepath.Join(shared, "nowhere"), WitnessPath: witnessFile, RandomID: func() string { return "ledger-of-a-test" }, Clock: fixed{noon},
	}
	disk := p.disk
	o.OpenWitness(func(name string) (sqlite.WitnessFile, error) {
		file, err := disk.OpenFile(name)
		return keptWitness{file, disk}, err
	})
	l, err = sqlite.OpenDB(p.t.Context(), database("query_only(0)"), database("query_only(1)"), o)
	closeAll = func() (err error) {
		if l != nil {
			err = l.Close()
		}
		unregister()
		return errors.Join(err, os.RemoveAll(shared))
	}
	if err == nil && p.weak.weaken != nil {
		err = p.weak.weaken(l)
	}
	return l, closeAll, err
}

// oldRows is how many rows a ledger has before its power is cut.
const oldRows = 5

// made returns a disk with a ledger of a few calls on it, closed in order.
func made(t *testing.T) *disktest.Disk {
	t.Helper()
	p := &powered{t: t, disk: disktest.New("/ledger", "/state")}
	l, closeAll, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	for i := range oldRows {
		create(t, l, fmt.Sprintf("old-%d", i))
	}
	if err := closeAll(); err != nil {
		t.Fatal(err)
	}
	return p.disk
}

// cut runs a shape once with a power cut at the effect, restarts the machine and returns what is wrong with what is there.
func cut(t *testing.T, base *disktest.Disk, s shape, w weakness, effect int, seed uint64) (lost []string, hit string) {
	t.Helper()
	p := &powered{t: t, shape: s, weak: w, disk: disktest.New("/ledger", "/state")}
	if !s.fresh {
		p.disk = base.Copy()
	}
	p.disk.IgnoreSyncs(w.ignores)
	p.disk.Cut(effect, seed)
	work := &work{shape: s, t: t}
	l, closeAll, err := p.open()
	if err == nil {
		work.run(l)
	}
	_ = closeAll() // it has no power
	after := &powered{t: t, disk: p.disk.Restart()}
	hit = p.disk.Hit()
	l, closeAll, err = after.open()
	switch {
	case errors.Is(err, call.ErrWentBack):
		lost = append(lost, "the witness is ahead of the ledger")
	case err != nil:
		lost = append(lost, fmt.Sprintf("the ledger does not open: %v", err))
	default:
		lost = work.lost(l)
	}
	if err := closeAll(); err != nil && len(lost) == 0 {
		lost = append(lost, fmt.Sprintf("the ledger does not close: %v", err))
	}
	return lost, hit
}

// effects returns the effects of a shape while nothing goes wrong, by their kinds: their places, counted from 1.
func effects(t *testing.T, base *disktest.Disk, s shape) map[string][]int {
	t.Helper()
	p := &powered{t: t, shape: s, disk: disktest.New("/ledger", "/state")}
	if !s.fresh {
		p.disk = base.Copy()
	}
	l, closeAll, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	work := &work{shape: s, t: t}
	work.run(l)
	if err := closeAll(); err != nil {
		t.Fatal(err)
	}
	places := map[string][]int{}
	for i, name := range p.disk.Effects() {
		places[name] = append(places[name], i+1)
	}
	l, closeAll, err = p.open()
	if err != nil {
		t.Fatal(err)
	}
	if wrong := work.lost(l); len(wrong) > 0 {
		t.Fatalf("%s, without a cut: %s", s.name, wrong)
	}
	if err := closeAll(); err != nil {
		t.Fatal(err)
	}
	return places
}

// machinesAtOnce is how many machines run, and lose their power, beside each other. Each has a disk of its own, and half of its time it waits: for more
// notes, mostly.
const machinesAtOnce = 6

// cuts spreads power cuts over all shapes and the kinds of their effects, and returns how many of them lost something and what they hit.
func cuts(t *testing.T, many int, w weakness, report func(s shape, seed uint64, hit string, lost []string)) (losing int, hits map[string]int) {
	t.Helper()
	base := made(t)
	shapes := slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return w.early && !s.fresh })
	places := make([]map[string][]int, len(shapes))
	for i, s := range shapes {
		places[i] = effects(t, base, s)
	}
	hits = map[string]int{}
	var mu sync.Mutex // of hits, losing and report
	one := func(n int) {
		s := shapes[n%len(shapes)]
		lost, hit := cut(t, base, s, w, place(places[n%len(shapes)], n/len(shapes)), uint64(n))
		mu.Lock()
		defer mu.Unlock()
		hits[hit]++
		if len(lost) > 0 {
			losing++
			report(s, uint64(n), hit, lost)
		}
	}
	var next atomic.Int64
	var machines sync.WaitGroup
	for range machinesAtOnce {
		machines.Go(func() {
			for n := int(next.Add(1)) - 1; n < many; n = int(next.Add(1)) - 1 {
				one(n)
			}
		})
	}
	machines.Wait()
	for _, hit := range slices.Sorted(maps.Keys(hits)) {
		t.Logf("%5d cuts at: %s", hits[hit], hit)
	}
	return losing, hits
}

// place chooses the place of the n-th cut: of two cuts one anywhere, and one at the kinds of effects in turn, because some are rare.
func place(places map[string][]int, n int) int {
	random := rand.New(rand.NewPCG(uint64(n), 3))
	kinds := slices.Sorted(maps.Keys(places))
	if n%2 == 1 {
		of := places[kinds[n/2%len(kinds)]]
		return of[random.IntN(len(of))]
	}
	last := 0
	for _, of := range places {
		last = max(last, of[len(of)-1])
	}
	return 1 + random.IntN(last)
}
