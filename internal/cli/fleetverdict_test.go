package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/dial/connect"
)

// wished is a request of the load and what the service said of it in the end.
type wished struct {
	name      string // of the request
	call      string // id, empty when no process ever took the request
	state     string
	cancelled bool // also asked to be withdrawn
}

// verdict compares what was asked for with what rang, which the emulator knows: a request that was not withdrawn is placed and rang once; a withdrawn
// one rang once or never, as its state says; nothing else rang.
func verdict(wishes []wished, rings []connectemu.Ring) []string {
	var wrong []string
	rang := map[string]int{}
	for _, r := range rings {
		rang[r.Attributes[connect.CallIDAttribute]]++
	}
	owner := map[string]string{}
	for _, w := range wishes {
		n := rang[w.call]
		delete(rang, w.call)
		switch {
		case w.call == "":
			wrong = append(wrong, w.name+" was never taken")
			continue
		case owner[w.call] != "":
			wrong = append(wrong, w.name+" has the call of "+owner[w.call])
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("%s rang %d times", w.name, n))
		case w.state == settling && w.cancelled: // withdrawn while a process that died was dialing it: it rang once or not at all
		case w.state == "placed" && n != 1, w.state != "placed" && n != 0:
			wrong = append(wrong, fmt.Sprintf("%s is %s after %d rings", w.name, w.state, n))
		case w.state != "placed" && !w.cancelled:
			wrong = append(wrong, w.name+" is lost: it is "+w.state)
		}
		owner[w.call] = w.name
	}
	for id, n := range rang {
		wrong = append(wrong, fmt.Sprintf("%d rings of %q, which nobody asked for", n, id))
	}
	return wrong
}

// settling is the state of a withdrawn call whose dial nobody can tell the end of.
const settling = "settling"

// most returns the greatest number of rings within a time.
func most(rings []connectemu.Ring, within time.Duration) (n int) {
	first := 0
	for last := range rings {
		for rings[last].At.Sub(rings[first].At) >= within {
			first++
		}
		n = max(n, last-first+1)
	}
	return n
}

func ringOf(call string) connectemu.Ring {
	return connectemu.Ring{Attributes: map[string]string{connect.CallIDAttribute: call}}
}

// TestTheVerdictOnAFleetSeesEachFault plants them.
func TestTheVerdictOnAFleetSeesEachFault(t *testing.T) {
	t.Parallel()
	good := wished{name: "good", call: "c-1", state: "placed"}
	if wrong := verdict([]wished{good, {name: "withdrawn", call: "c-2", state: "cancelled", cancelled: true}}, []connectemu.Ring{ringOf("c-1")}); len(wrong) > 0 {
		t.Errorf("without a fault: %q", wrong)
	}
	for name, c := range map[string]struct {
		wish  wished
		rings []string
	}{
		"rung twice":                 {good, []string{"c-1", "c-1"}},
		"placed without a ring":      {good, nil},
		"never taken":                {wished{name: "x"}, nil},
		"lost":                       {wished{name: "x", call: "c-1", state: "failed"}, nil},
		"withdrawn and rung":         {wished{name: "x", call: "c-1", state: "cancelled", cancelled: true}, []string{"c-1"}},
		"settling and rung twice":    {wished{name: "x", call: "c-1", state: settling, cancelled: true}, []string{"c-1", "c-1"}},
		"settling, not withdrawn":    {wished{name: "x", call: "c-1", state: settling}, nil},
		"a ring nobody asked for":    {good, []string{"c-1", "c-9"}},
		"a ring without its call id": {good, []string{"c-1", ""}},
	} {
		var rings []connectemu.Ring
		for _, id := range c.rings {
			rings = append(rings, ringOf(id))
		}
		if len(verdict([]wished{c.wish}, rings)) == 0 {
			t.Errorf("%s: no fault was seen", name)
		}
	}
	if len(verdict([]wished{good, {name: "other", call: "c-1", state: "placed"}}, []connectemu.Ring{ringOf("c-1")})) == 0 {
		t.Error("two requests with one call: no fault was seen")
	}
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	burst := []connectemu.Ring{{At: at}, {At: at.Add(time.Second)}, {At: at.Add(1100 * time.Millisecond)}, {At: at.Add(1900 * time.Millisecond)}}
	if n := most(burst, time.Second); n != 3 {
		t.Errorf("%d rings within a second, want 3", n)
	}
}
