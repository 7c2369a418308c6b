//go:build integration

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// small is a measurement of a restart that takes some seconds.
func small() settings {
	return settings{ledger: "sqlite", calls: 2000, kinds: strings.Join(kinds, ","), requests: 100, duplicates: 300, lanes: 8, most: time.Minute, rest: time.Second}
}

// It judges no figure; bench/load -calls 1000000 is for those.
func TestARestartOnEachKindOfFilledLedgerIsMeasured(t *testing.T) {
	t.Parallel()
	seen := 0
	err := restart(t.Context(), small(), func(r restarted) {
		seen++
		var out bytes.Buffer
		r.write(&out)
		t.Logf("\n%s", &out)
		if r.ready <= 0 || r.ring <= 0 || r.rings == 0 || r.rested.high == 0 || r.rested.own == 0 || r.file == 0 || len(r.asked) == 0 {
			t.Errorf("something was not measured: %+v", r)
		}
		if len(r.rows) != 2 || len(r.rows[0].times) != 100 || r.rows[0].replayed != 0 || r.rows[1].replayed != 300 {
			t.Errorf("the load: %+v", r.rows)
		}
	})
	if err != nil || seen != len(kinds) {
		t.Fatalf("%d kinds were measured: %v", seen, err)
	}
}

func TestAFilledLedgerIsSoundAfterAService(t *testing.T) {
	t.Parallel()
	s := small()
	dir, err := s.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(dir) })
	phone, err := openPhone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(phone.close)
	for _, kind := range kinds {
		where := dir + "/" + kind
		if err := fill(t.Context(), s, where, kind); err != nil {
			t.Fatal(err)
		}
		p, err := start(t.Context(), s, where, phone.url, s.lanes+1)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.ready(t.Context()); err != nil {
			t.Error(err)
		}
		if kind == kindMixed { // planted: the ledger has fewer calls than were asked for
			more := s
			more.calls *= 2
			r := restarted{}
			if err := r.use(t.Context(), more, where, p, time.Now()); err == nil || !strings.Contains(err.Error(), "taken for new ones") {
				t.Errorf("a ledger that lacks half of its calls: %v", err)
			}
		}
		if err := p.stop(); err != nil {
			t.Fatal(err)
		}
		calls, wrong, err := verify(t.Context(), s, where)
		if err != nil || calls < s.calls || len(wrong) > 0 {
			t.Errorf("%s: %d calls, %v, %v", kind, calls, wrong, err)
		}
	}
}
