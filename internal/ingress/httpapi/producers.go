package httpapi

import (
	"cmp"
	"context"
	"slices"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/rules"
)

// roster gathers producers by what their calls name them.
type roster map[string]*oas.Producer

func (r roster) add(p oas.Producer) *oas.Producer {
	if known, ok := r[p.Producer]; ok {
		return known
	}
	r[p.Producer] = &p
	return &p
}

// ListProducers implements oas.Handler. An operator sees whom the configuration names and whom the latest calls do; a producer sees itself, also when only its
// credential knows it.
func (a *api) ListProducers(ctx context.Context) (*oas.ProducerList, error) {
	who := askedOf(ctx).who
	r := roster{}
	if a.Producers != nil {
		for _, s := range a.Producers() {
			r.add(configured(s))
		}
	}
	list := &oas.ProducerList{Producers: []oas.Producer{}}
	if who.Kind == access.Producer {
		own := r.add(configured(access.Scope{Producer: who.Name, KeySpace: who.KeySpace}))
		own.Reads, own.Profiles = who.Reads, who.Profiles // of the credential that asks
		r = roster{own.Producer: own}
	} else {
		more, err := a.addSeen(ctx, r)
		if err != nil {
			return nil, err
		}
		list.More = more
	}
	if err := a.addPauses(ctx, r); err != nil {
		return nil, err
	}
	if err := a.addOpen(ctx, r, who); err != nil {
		return nil, err
	}
	for _, p := range r {
		list.Producers = append(list.Producers, *p)
	}
	slices.SortFunc(list.Producers, func(a, b oas.Producer) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Producer, b.Producer))
	})
	return list, nil
}

// configured is the producer of a scope of the access configuration.
func configured(s access.Scope) oas.Producer {
	who := access.Principal{Kind: access.Producer, Name: s.Producer, KeySpace: cmp.Or(s.KeySpace, s.Producer)}
	p := oas.Producer{Producer: who.Sender(), Name: s.Producer, KeySpace: who.KeySpace, Reads: s.Reads, Profiles: s.Profiles, Configured: true}
	if s.Rate != (access.Rate{}) {
		p.PerSecond, p.Burst = oas.NewOptFloat64(s.Rate.PerSecond), oas.NewOptInt(s.Rate.Burst)
	}
	return p
}

// addSeen adds those that the latest calls name, and reports whether there are calls that were not looked at.
func (a *api) addSeen(ctx context.Context, r roster) (more bool, err error) {
	return a.latest(ctx, call.Filter{}, func(row call.Call) {
		if row.Producer != "" {
			r.add(oas.Producer{Producer: row.Producer, Name: access.SenderName(row.Producer), KeySpace: row.Key.KeySpace})
		}
	})
}

// addOpen counts the calls that have not been dialed to their end. Where there are too many to count no count is told. Of a producer those of its own key space
// are looked through, so that those of others neither hide its count nor tell by that how many they are.
func (a *api) addOpen(ctx context.Context, r roster, who access.Principal) error {
	open := map[string]int{}
	var spaces []string
	if who.Kind == access.Producer {
		spaces = call.InSpaces(who.KeySpace)
	}
	more, err := a.latest(ctx, call.Filter{States: []call.State{call.Received, call.Dialing}, KeySpaces: spaces}, func(row call.Call) { open[row.Producer]++ })
	if err != nil || more {
		return err
	}
	for name, p := range r {
		p.OpenRequests = oas.NewOptInt(open[name])
	}
	return nil
}

// latest visits the newest calls of a filter, mostLooked at most, and reports whether there are more.
func (a *api) latest(ctx context.Context, filter call.Filter, visit func(row call.Call)) (more bool, err error) {
	filter.Limit = indexPage
	for looked := 0; looked < mostLooked; {
		rows, next, err := a.Index.List(ctx, filter)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			visit(row)
		}
		if next == "" {
			return false, nil
		}
		filter.Cursor = next
		looked += len(rows)
	}
	return true, nil
}

func (a *api) addPauses(ctx context.Context, r roster) error {
	if a.Cells == nil {
		return nil
	}
	switches, err := rules.ReadSwitches(ctx, a.Cells)
	if err != nil {
		return err
	}
	for _, s := range switches.On {
		for name, p := range r {
			if s.Target.Kind == rules.TargetAll || s.Target.Kind == rules.TargetProducer && s.Target.Name == name {
				p.Paused = true
			}
		}
	}
	return nil
}
