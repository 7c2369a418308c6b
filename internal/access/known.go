package access

import (
	"cmp"
	"slices"
)

// Scopes returns what the producers that this guard knows may do, by producer and key space: those of its options and of the live API keys, with key spaces and
// rates filled in. Several credentials of one producer for one key space are one scope, which may what any of them may. Reporters are none of them. It holds nothing of a credential.
func (g *Guard) Scopes() []Scope {
	all := slices.Clone(g.o.Scopes)
	for _, producer := range g.o.Certificates {
		all = append(all, g.scopeOf(producer))
	}
	for _, i := range g.issuers {
		for _, producer := range i.Producers {
			all = append(all, g.scopeOf(producer))
		}
	}
	if g.o.Keys != nil {
		all = append(all, g.o.Keys.scopes()...)
	}
	type place struct{ producer, keySpace string }
	by := map[place]Scope{}
	for _, s := range all {
		if slices.Contains(g.o.Reporters, s.Producer) {
			continue
		}
		s.KeySpace = cmp.Or(s.KeySpace, s.Producer)
		if s.Rate == (Rate{}) {
			s.Rate = g.o.Rate
		}
		at := place{s.Producer, s.KeySpace}
		if before, known := by[at]; known {
			s = before.with(s)
		}
		by[at] = s
	}
	known := make([]Scope, 0, len(by))
	for _, s := range by {
		known = append(known, s)
	}
	slices.SortFunc(known, func(a, b Scope) int {
		return cmp.Or(cmp.Compare(a.Producer, b.Producer), cmp.Compare(a.KeySpace, b.KeySpace))
	})
	return known
}

// with returns what either scope allows. No profiles are all of them, and no rate is no limit.
func (s Scope) with(o Scope) Scope {
	s.Reads = union(s.Reads, o.Reads)
	if len(s.Profiles) == 0 || len(o.Profiles) == 0 {
		s.Profiles = nil
	} else {
		s.Profiles = union(s.Profiles, o.Profiles)
	}
	if s.Rate != (Rate{}) && (o.Rate == (Rate{}) || o.Rate.PerSecond > s.Rate.PerSecond) {
		s.Rate = o.Rate
	}
	return s
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// scopes returns those of the producers' keys that are good now. An operator's key has none.
func (k *Keys) scopes() []Scope {
	now := k.clock.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reload(now)
	var live []Scope
	for _, r := range k.by {
		if r.Operator == "" && r.live(now) {
			live = append(live, r.Scope)
		}
	}
	return live
}
