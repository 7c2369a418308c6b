package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/rules"
)

// target returns what a wish names, as ringonce pause takes it. What is paused may be resumed also when it could not be paused any more: the
// configuration may have lost its profile since.
func (a *api) target(w *oas.PauseWish, pausing bool) (rules.Target, error) {
	t := rules.Target{Kind: rules.TargetKind(w.Target), Name: w.Name.Value}
	bad := func(message, fix string) error {
		return &call.Error{Code: call.CodeFieldValue, Field: "name", Message: message, Fix: fix}
	}
	switch {
	case t.Kind == rules.TargetAll && t.Name != "":
		return t, bad("The field name is given beside the target all.", "Leave it out.")
	case t.Kind != rules.TargetAll && t.Name == "":
		return t, bad("The field name is missing.", "Name what is meant, or use the target all.")
	case !pausing:
		return t, nil
	}
	switch t.Kind {
	case rules.TargetAll:
	case rules.TargetPrefix:
		if len(t.Name) < 2 || len(t.Name) > 9 || t.Name[0] != '+' || strings.Trim(t.Name[1:], "0123456789") != "" {
			return t, bad("The field name is no beginning of a number.", "Write + and 1 to 8 digits, like +8190.")
		}
	case rules.TargetProfile:
		if _, known := a.Engine.Profile(t.Name); !known {
			return t, &call.Error{Code: call.CodeProfileUnknown, Field: "name", Message: "The configuration knows no profile of this name.", Fix: "Name one of profiles."}
		}
	case rules.TargetProducer:
		// A plain name is never what a delivery names, so a pause of it would hold nothing, and nobody would see that.
		if !strings.Contains(t.Name, ":") {
			return t, bad("The field name is not what deliveries name their producer.", "Write api:SPACE/NAME, operator:NAME or an ARN, as the member producer of a call shows it.")
		}
	}
	return t, nil
}

// ListPauses implements oas.Handler.
func (a *api) ListPauses(ctx context.Context) (*oas.PauseList, error) {
	if a.Cells == nil {
		return nil, errNoCells()
	}
	switches, err := rules.ReadSwitches(ctx, a.Cells)
	if err != nil {
		return nil, err
	}
	list := &oas.PauseList{Pauses: []oas.Pause{}}
	for _, s := range switches.On {
		list.Pauses = append(list.Pauses, pauseOf(s, true, false))
	}
	return list, nil
}

func pauseOf(s rules.Switch, on, changed bool) oas.Pause {
	return oas.Pause{
		Target: oas.PauseTarget(s.Target.Kind), Name: text(s.Target.Name), Paused: on, Changed: changed, By: text(s.By), At: instant(s.At), Reason: text(s.Why),
	}
}

// Pause implements oas.Handler.
func (a *api) Pause(ctx context.Context, req *oas.PauseWish) (*oas.Pause, error) {
	answer, err := a.pause(ctx, req)
	a.auditAct(ctx, Act{Target: targetOf(req), Reason: req.Reason}, err)
	return answer, err
}

func (a *api) pause(ctx context.Context, req *oas.PauseWish) (*oas.Pause, error) {
	now, err := a.toggle(ctx, req, true)
	if err != nil {
		return nil, err
	}
	changed, err := rules.Pause(ctx, a.Cells, now)
	if err != nil {
		return nil, err
	}
	switches, err := rules.ReadSwitches(ctx, a.Cells)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(switches.On, func(s rules.Switch) bool { return s.Target == now.Target }); i >= 0 {
		now = switches.On[i] // who paused it first stays
	}
	answer := pauseOf(now, true, changed)
	return &answer, nil
}

// Resume implements oas.Handler.
func (a *api) Resume(ctx context.Context, req *oas.PauseWish) (*oas.Pause, error) {
	answer, err := a.resume(ctx, req)
	a.auditAct(ctx, Act{Target: targetOf(req), Reason: req.Reason}, err)
	return answer, err
}

func (a *api) resume(ctx context.Context, req *oas.PauseWish) (*oas.Pause, error) {
	now, err := a.toggle(ctx, req, false)
	if err != nil {
		return nil, err
	}
	changed, err := rules.Resume(ctx, a.Cells, now)
	if err != nil {
		return nil, err
	}
	if !changed {
		return nil, refuse(http.StatusConflict, "not_paused", "It is not paused.", "See what is with GET /v1/pauses; what the configuration pauses is resumed there.")
	}
	answer := pauseOf(now, false, true)
	return &answer, nil
}

// toggle is what a wish turns on or off, by whom and why.
func (a *api) toggle(ctx context.Context, req *oas.PauseWish, pausing bool) (rules.Switch, error) {
	if a.Cells == nil {
		return rules.Switch{}, errNoCells()
	}
	t, err := a.target(req, pausing)
	return rules.Switch{Target: t, By: askedOf(ctx).who.Name, At: a.Clock.Now(), Why: req.Reason}, err
}
