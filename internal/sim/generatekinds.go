package sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// kinds draws what a world of kinds has beside others.
func (g *generator) kinds(s *Setting) {
	s.Kinds, s.ChatTime, s.TaskTime = true, pick(g, "", "1h"), pick(g, "", "10m", "3h", "5d")
	s.Network.Shared = g.chance(0.4)
	s.Network.DigitalToken = pick(g, 0, time.Hour, time.Minute, connectemu.Off, connectemu.Off)
	s.Network.DigitalActive, s.Network.DigitalLasts = pick(g, 500, 1), pick(g, time.Minute, time.Hour, 25*time.Hour)
}

// twins makes subjects of the other kinds with the same ids.
func (g *generator) twins(name string) {
	if !g.w.Setting.Kinds {
		return
	}
	for _, kind := range []call.Kind{call.KindChat, call.KindTask} {
		if g.chance(0.7) {
			g.w.subject(name + "/" + string(kind))
			g.left++
		}
	}
}

// twinNumber is the number of a contact that needs none: perhaps that of a call.
func (g *generator) twinNumber(a *Act) {
	if g.chance(0.5) {
		a.Values = append(a.Values, Value{"number", strconv.Itoa(10*g.rng.IntN(len(g.w.subjects)) + 1)})
	}
}

// digital lets a telephone fault meet a start of another kind, perhaps.
func (g *generator) digital(s *Strike, fault connectemu.Fault) bool {
	all := []connectemu.Fault{
		connectemu.PlaceThen500, connectemu.PlaceThenReset, connectemu.PlaceThenBraces, connectemu.Fail500, connectemu.ResetBefore, connectemu.Throttle,
	}
	if !g.w.Setting.Kinds || !slices.Contains(all, fault) || g.chance(0.25) {
		return false
	}
	s.Point = fault.String() + " " + string(pick(g, connectemu.OpStartChat, connectemu.OpStartTask))
	return true
}
