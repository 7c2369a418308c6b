package call_test

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// witness is a test whose failures are found and told to nobody.
type witness struct {
	testing.TB

	mu   sync.Mutex
	said []string
}

func (w *witness) Error(args ...any) { w.say(fmt.Sprint(args...)) }

func (w *witness) Errorf(format string, args ...any) { w.say(fmt.Sprintf(format, args...)) }

func (w *witness) Fatal(args ...any) {
	w.say(fmt.Sprint(args...))
	runtime.Goexit()
}

func (w *witness) Fatalf(format string, args ...any) {
	w.say(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (w *witness) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, text)
}

// once plays a story on a fresh ledger with one write of its own fate.
func (p siteStory) once(t testing.TB, fresh maker, spoil func(ledgertest.Ledger) ledgertest.Ledger, at int, how way) (left end, names, wrong []string) {
	said := &witness{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if broken := recover(); broken != nil {
				said.Errorf("panic: %v", broken)
			}
		}()
		c := &clock{now: start}
		l := fresh(said, c)
		defer func() {
			if err := l.Close(); err != nil {
				said.Error(err)
			}
		}()
		if spoil != nil {
			l = spoil(l)
		}
		w := newWorldOn(said, l)
		s := &sites{Ledger: l, w: w}
		w.store, w.faults.Ledger = s, s
		w.change = append(w.change, func(c *call.Config) { c.Journal = s })
		s.at = at
		s.way = how
		if p.prepare != nil {
			p.prepare(w)
		}
		w.engine = w.start()
		p.play(w)
		s.arrive()
		w.settle()
		w.clean(p.rings)
		names, left = s.names, w.end(l)
		if at > 0 && w.faults.fired == 0 {
			said.Errorf("write %d never happened", at)
		}
	}()
	<-done
	return left, names, said.said
}

// everyWrite breaks a site as often as stories come to it.
const everyWrite = 1 << 30

// ambiguous plays every story on a ledger, once for each of its writes and each way, but no site more often than most times in one way. It
// returns the sites with how often each was broken, and what was wrong; after enough of that it ends.
func ambiguous(t *testing.T, fresh maker, spoil func(ledgertest.Ledger) ledgertest.Ledger, most, enough int) (broken map[string]int, cleanEnds map[string]end, wrong []string) {
	t.Helper()
	again := map[string]int{}
	broken, cleanEnds = map[string]int{}, map[string]end{}
	for _, story := range siteStories() {
		clean, names, said := story.once(t, fresh, nil, 0, sent)
		if len(said) > 0 {
			t.Fatalf("%s, with nothing broken: %s", story.name, said)
		}
		cleanEnds[story.name] = clean
		for at := 1; at <= len(names); at++ {
			for _, how := range ways {
				if again[names[at-1]+string(how)]++; again[names[at-1]+string(how)] > most || len(wrong) >= enough {
					continue
				}
				left, _, said := story.once(t, fresh, spoil, at, how)
				broken[names[at-1]]++
				for _, line := range append(said, left.differs(clean, names[at-1])...) {
					wrong = append(wrong, fmt.Sprintf("%s: write %d (%s) %s: %s", story.name, at, names[at-1], how, line))
				}
			}
		}
	}
	return broken, cleanEnds, wrong
}

// unwritten are the kinds of events that no place in the program writes: a cancel that ends a row does so by cancel-requested, or by the
// result that closes its last attempt.
func unwritten() []string { return []string{string(call.EventCanceled)} }

// mustReach lists the sites that a story has to reach.
func mustReach() []string {
	var must []string
	for _, kind := range call.EventKinds() {
		if !slices.Contains(unwritten(), string(kind)) {
			must = append(must, string(kind))
		}
	}
	return append(must, otherSites()...)
}

// reached counts the writes of a site and of those whose name begins with it.
func reached(broken map[string]int, site string) (writes int) {
	for name, n := range broken {
		if name == site || strings.HasPrefix(name, site+" ") {
			writes += n
		}
	}
	return writes
}

// TestEveryWriteOfEveryLedgerMayBeLostOrDoubled tries the ledgers that need no server; the one in PostgreSQL has a test behind the tag integration.
func TestEveryWriteOfEveryLedgerMayBeLostOrDoubled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	table := map[string]map[string]int{}
	ends := map[string]map[string]end{}
	t.Run("ledgers", func(t *testing.T) {
		for name, fresh := range drivers() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				most := 1
				if name == "memory" || os.Getenv("RINGONCE_NIGHT") != "" {
					most = everyWrite
				}
				broken, clean, wrong := ambiguous(t, fresh, nil, most, everyWrite)
				for _, line := range wrong {
					t.Error(line)
				}
				mu.Lock()
				defer mu.Unlock()
				table[name], ends[name] = broken, clean
			})
		}
	})
	sites := map[string]bool{}
	for _, broken := range table {
		for site := range broken {
			sites[site] = true
		}
	}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		t.Logf("%-32s memory %3d  sqlite %3d  dynamodb %3d", site, table["memory"][site], table["sqlite"][site], table["dynamodb"][site])
	}
	for name, broken := range table {
		reachesEverySite(t, name, broken)
		for story, left := range ends[name] {
			for _, line := range left.differs(ends["memory"][story], "") {
				t.Errorf("%s, %s, with nothing broken: %s", name, story, line)
			}
		}
	}
}

// reachesEverySite compares the sites that were broken on a ledger with those that there are.
func reachesEverySite(t *testing.T, name string, broken map[string]int) {
	t.Helper()
	for _, site := range mustReach() {
		if reached(broken, site) == 0 {
			t.Errorf("%s: no story reaches the site %q", name, site)
		}
	}
	for _, site := range unwritten() {
		if reached(broken, site) > 0 {
			t.Errorf("%s: %q is written after all: take it out of unwritten", name, site)
		}
	}
}
