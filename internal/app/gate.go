package app

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// CellNames returns the names of the cells of persons. Their secret is the do-not-call key, else the identity key, else none: then who reads
// the ledger can find the numbers out by trying, as he can read them in its calls.
func (c *Config) CellNames(ctx context.Context, o Options, naming call.Naming) (rules.CellNames, error) {
	switch {
	case c.DoNotCall != (DoNotCall{}):
	case len(naming.Secret) > 0: // and not its check, which lies in the ledger
		return rules.NewCellNames(naming.Secret), nil
	default:
		return rules.NewCellNames([]byte(naming.Check())), nil
	}
	key, err := c.key(ctx, o.withDefaults(), "do_not_call", c.DoNotCall.KeyFile, c.DoNotCall.KeySecret)
	if err != nil {
		return rules.CellNames{}, err
	}
	return rules.NewCellNames(key.Reveal()), nil
}

// openGate gives the core what holds calls. A ledger with cells always has a gate, so that a pause that somebody orders is never ignored.
func (c *Config) openGate(ctx context.Context, o Options, a *App, naming call.Naming, core *call.Config) error {
	if a.Store == nil {
		return nil
	}
	if core.Cells == nil {
		return c.checkWithoutCells()
	}
	var err error
	if a.Cells, err = c.CellNames(ctx, o, naming); err != nil {
		return err
	}
	config, err := c.limits()
	if err != nil {
		return err
	}
	if config.Policy, err = c.policies(); err != nil {
		return err
	}
	config.Cells, config.Names, config.Random = core.Cells, a.Cells, o.Random
	gate := rules.NewGate(config)
	core.Gate, core.OptOut = gate, optOut(gate)
	if c.SharesPace() {
		rate, burst := c.pace()
		core.Pacer = rules.NewSharedPace(core.Cells, "", rate, burst)
		core.Describes = rules.NewSharedPace(core.Cells, "describe", describePace*paceHeadroom, describeBurst)
		core.Searches = rules.NewSharedPace(core.Cells, "search", searchPace, 1)
	}
	return nil
}

// optOut puts the number of a call on the do-not-call list, because the person who was rung pressed the key for it.
func optOut(gate *rules.Gate) func(context.Context, call.Call, time.Time) error {
	return func(ctx context.Context, c call.Call, at time.Time) error {
		return gate.List(ctx, c.Phone(), rules.DoNotCallEntry{Reason: "opted out by a key press", Source: "key-press", By: "call " + c.ID, At: at})
	}
}

// checkWithoutCells refuses what a ledger without cells would ignore.
func (c *Config) checkWithoutCells() error {
	field := c.holdsWithoutLedger()
	for name, p := range c.Profiles {
		if len(p.Hours) > 0 || len(p.Closed) > 0 {
			field = "profiles." + name + ".hours"
		}
	}
	if field == "" {
		return nil
	}
	return c.refuse(field, "Use a ledger that keeps cells, or remove it.", "cannot be kept by this ledger.")
}

// policies returns what the gate asks of each profile.
func (c *Config) policies() (func(string) rules.Policy, error) {
	lease, err := c.duration("limits.slot_lease", c.Limits.SlotLease, time.Minute, 24*time.Hour)
	if err != nil {
		return nil, err
	}
	all := map[string]rules.Policy{}
	for name, p := range c.Profiles {
		hours, zone, err := c.hoursOf(p)
		if err != nil {
			return nil, err
		}
		policy := rules.Policy{
			Urgent: p.Urgent == "on" || p.Urgent == "override_do_not_call", ListedToo: p.Urgent == "override_do_not_call", Uncapped: p.Caps == "off", Lease: lease,
		}
		if hours != nil {
			policy.Hours = rules.InZone(hours, zone)
		}
		all[name] = policy
	}
	return func(profile string) rules.Policy { return all[profile] }, nil
}

// pace returns the rate and the burst of dials.
func (c *Config) pace() (perSecond float64, burst int) {
	burst = 5
	if c.Pacing.Burst > 0 {
		burst = c.Pacing.Burst
	}
	return c.PacePerSecond() * paceHeadroom, burst
}
