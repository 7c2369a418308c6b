package app

import (
	"cmp"
	"context"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// Destinations says which numbers may be rung (internal/rules). Nothing else is ever dialed, whatever a producer asks for.
type Destinations struct {
	Allow List `yaml:"allow"` // regions (JP) and prefixes ("+4420")
	Deny  List `yaml:"deny"`  // prefixes
	Kinds List `yaml:"kinds"` // special kinds of number that may be rung in the allowed regions; default none
}

// List is a list of words in YAML: a sequence, or one text with commas between them, which is how a deployment's parameter is written.
type List []string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (l *List) UnmarshalYAML(read func(any) error) error {
	var one string
	if read(&one) == nil {
		*l = nil
		for word := range strings.SplitSeq(one, ",") {
			if word = strings.TrimSpace(word); word != "" {
				*l = append(*l, word)
			}
		}
		return nil
	}
	return read((*[]string)(l))
}

// checkDestinations reads the rules, so that a wrong one is named before anything is opened.
func (c *Config) checkDestinations() error {
	for _, part := range []struct {
		field             string
		allow, deny, kind []string
	}{
		{"destinations.allow", c.Destinations.Allow, nil, nil},
		{"destinations.deny", nil, c.Destinations.Deny, nil},
		{"destinations.kinds", nil, nil, c.Destinations.Kinds},
	} {
		if _, err := rules.NewDestinations(part.allow, part.deny, part.kind); err != nil {
			return c.refuse(part.field, "docs/configuration.md has the forms; put digits in quotes.", "holds a rule that is not usable: %v.", err)
		}
	}
	return nil
}

// permit returns the core's question whether a number may be rung, and who is told of one that may not; nil when every one may, which only an
// emulator is good for. Toll fraud needs nothing but a telephone that rings any number (reliability-security.md D1), so a configuration for
// real telephones has to say which ones it is for.
func (c *Config) permit(o Options, a *App) (func(call.Phone) error, func(context.Context, call.Phone), error) {
	if len(c.Destinations.Allow) == 0 {
		if (c.IsProduction() || c.Connect.Endpoint == "") && !o.ReadOnly && !o.AllowRecovery {
			return nil, nil, c.refuse("destinations.allow", `Name the regions and prefixes that may be rung, for example [JP, "+4420"].`, "is missing; real telephones would ring at any number.")
		}
		if len(c.Destinations.Deny) == 0 {
			return nil, nil, nil
		}
	}
	d, err := rules.NewDestinations(c.Destinations.Allow, c.Destinations.Deny, c.Destinations.Kinds)
	if err != nil {
		return nil, nil, err
	}
	return func(number call.Phone) error {
		v := d.Judge(number.Wire())
		if v.Allowed {
			return nil
		}
		return &call.Error{
			Code: call.CodeDestinationDenied, Field: "destinationPhoneNumber",
			Message: "The number " + number.String() + " may not be rung: " + v.Rule + ".",
			Fix:     "If it is meant, add its region or prefix to destinations.allow, or its kind to destinations.kinds.",
		}
	}, a.deniedPrefix(d, o.Clock), nil
}

// deniedPrefix alarms once an hour for each prefix whose numbers are refused, over all processes on the ledger, and not once for each call.
func (a *App) deniedPrefix(d *rules.Destinations, clock call.Clock) func(context.Context, call.Phone) {
	var cells call.Cells
	names := a.Cells
	if a.Store != nil && a.Store.Cells != nil {
		cells = a.Store.Cells
	}
	alarms := rules.NewAlarms(cells, names)
	return func(ctx context.Context, number call.Phone) {
		v := d.Judge(number.Wire())
		prefix := "+" + cmp.Or(v.Number.Prefix, v.Number.Code)
		if alarms.First(ctx, "prefix "+prefix, clock.Now()) {
			a.Observer.Decided(ctx, call.Decided{
				What: "prefix-refused", Code: call.CodeDestinationDenied, Alarm: true,
				Reason: "Numbers that begin with " + prefix + " are asked for and may not be rung: " + v.Rule + ".",
			})
		}
	}
}
