package cli

import (
	"context"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// pausedThere is the form of a pause that a service shows.
func pausedThere(p client.Pause) paused {
	return paused{Target: rules.TargetKind(p.Target), Name: p.Name, Paused: p.Paused, Changed: p.Changed, By: p.By, At: p.At, Reason: p.Reason}
}

func (r *remote) pauses(ctx context.Context) (all []paused, err error) {
	var there []client.Pause
	err = r.patiently(ctx, func() (err error) {
		there, err = r.api.Pauses(ctx)
		return err
	})
	for _, p := range there {
		all = append(all, pausedThere(p))
	}
	return all, err
}

func (r *remote) pause(ctx context.Context, target rules.Target, reason string) (paused, error) {
	done, err := r.api.Pause(ctx, string(target.Kind), target.Name, reason)
	if client.CodeOf(err) == string(call.CodeProfileUnknown) {
		return paused{}, errNoProfile(target)
	}
	return pausedThere(done), r.told(err)
}

func (r *remote) resume(ctx context.Context, target rules.Target, reason string) (paused, error) {
	done, err := r.api.Resume(ctx, string(target.Kind), target.Name, reason)
	if client.CodeOf(err) == string(codeNotPaused) {
		return paused{}, errNotPaused(paused{Target: target.Kind, Name: target.Name})
	}
	return pausedThere(done), r.told(err)
}
