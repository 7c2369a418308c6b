package app

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// Recall is the re-call rule of a profile as the file holds it (docs/recalls.md). Without a budget nothing is rung again by itself.
type Recall struct {
	Budget  int               `yaml:"budget"`  // re-calls of one request, over all outcomes
	Dialing string            `yaml:"dialing"` // pinned (default): with the settings of the ring before; current: with those of the profile
	Wait    map[string]string `yaml:"wait"`    // by outcome: how long after the end of the ring
}

// recallRule returns the rule of a profile as the decisions use it.
func (c *Config) recallRule(p Profile, field string) (rules.RecallRule, error) {
	field += ".recall"
	rule := rules.RecallRule{Budget: p.Recall.Budget, Pinned: p.Recall.Dialing != "current"}
	if err := c.oneOf(field+".dialing", p.Recall.Dialing, "pinned", "current"); err != nil {
		return rule, err
	}
	for _, outcome := range slices.Sorted(maps.Keys(p.Recall.Wait)) {
		at := field + ".wait." + outcome
		if _, _, err := rules.RecallRange(call.ContactOutcome(outcome)); err != nil {
			return rule, c.refuse(at, "Remove it.", "%v.", err)
		}
		wait, err := parseDuration(p.Recall.Wait[outcome])
		if err != nil {
			return rule, c.refuse(at, "Write it as 30s, 5m or 2h.", "is no duration.")
		}
		if rule.Wait == nil {
			rule.Wait = map[call.ContactOutcome]time.Duration{}
		}
		rule.Wait[call.ContactOutcome(outcome)] = wait
	}
	if refusal, ok := errors.AsType[*call.Error](rule.Check()); ok {
		return rule, c.refuse(field+"."+refusal.Field, refusal.Fix, "%s", refusal.Message)
	}
	switch {
	case rule.Budget == 0 && (len(rule.Wait) > 0 || p.Recall.Dialing != ""):
		return rule, c.refuse(field+".budget", "Say how often one request may be rung again, for example 2.", "is missing, so the rule would never ring.")
	case rule.Budget > 0 && c.DriverName() == driverNone:
		return rule, c.refuse(field, "Configure a ledger, or remove it.", "is set and ledger.driver is none.")
	case rule.Budget > 0 && !p.is(call.KindVoice):
		return rule, c.refuse(field, "Remove it.", "is no setting of kind: %s.", p.kindName())
	}
	return rule, nil
}

// recalls completes the engine's configuration with the re-call rules of the profiles. They rest on outcomes: a profile that does not track them
// rings nothing again.
func (c *Config) recalls(core *call.Config) {
	byName := map[string]rules.RecallRule{}
	for name, p := range c.Profiles {
		if rule, err := c.recallRule(p, "profiles."+name); err == nil { // Validate has accepted it
			byName[name] = rule
		}
	}
	core.Again = func(ended call.Call, p call.Profile) call.Follow { return rules.Decide(ended, byName[p.Name]) }
	if tracks := core.Tracks; tracks != nil {
		core.Tracks = func(p call.Profile) (tracked, follows bool) {
			tracked, _ = tracks(p)
			return tracked, tracked && byName[p.Name].Budget > 0
		}
	}
}
