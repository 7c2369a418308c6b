//go:build integration

package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the tables of docs/safety-score.md again")

// TestTheComparisonRunsToItsEnd runs the whole command. What the peer does is measured and not asserted, but for what shows that both sides are
// counted by the same oracle: its first delivery of S9 rings once.
func TestTheComparisonRunsToItsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // of which the first installation may take the most
	defer cancel()
	r, err := compare(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	if !r.asWanted() {
		t.Errorf("ringonce did not do what was wanted:\n%s", r.markdown())
	}
	for _, l := range r.Lines {
		if l.Peer == nil || l.PeerToken == nil || len(l.Peer.Told) == 0 || len(l.PeerOptions) != len(alternatives()[l.ID]) {
			t.Errorf("%s was not measured on the peer", l.ID)
			continue
		}
		if l.Peer.Rings[0] < 1 {
			t.Errorf("%s: the first request of the peer did not ring: %+v", l.ID, l.Peer)
		}
		if l.starred != (len(l.PeerOptions) > 0) {
			t.Errorf("%s: a star says that an option decides", l.ID)
		}
	}
	var text, object strings.Builder
	if r.text(&text) != nil || r.json(&object) != nil || !strings.Contains(text.String(), "S12") || !strings.Contains(object.String(), `"peerWithClientToken"`) {
		t.Error("the report cannot be printed")
	}
	compareWithPage(t, r)
}

func compareWithPage(t *testing.T, r report) {
	t.Helper()
	was := page(t)
	now := was
	for name, table := range map[string]string{"score": r.markdown(), "options": r.options(), "answers": r.answers()} {
		end := "<!-- end of " + name + " -->"
		now = strings.Replace(now, between(t, now, name)+end, table+end, 1)
	}
	switch {
	case now == was:
	case *update:
		if err := os.WriteFile(pagePath, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
	default: // a peer on a busy machine may be slower than its own race
		t.Logf("the peer did something else than docs/safety-score.md says:\n%s\n%s\n%s", r.markdown(), r.options(), r.answers())
	}
}
