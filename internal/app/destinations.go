package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// Destinations says which numbers may be rung (internal/rules). Nothing else is ever dialed, whatever a producer asks for.
type Destinations struct {
	Allow List `yaml:"allow"` // regions (JP) and prefixes ("+4420")
	Deny  List `yaml:"deny"`  // prefixes
	Kinds List `yaml:"kinds"` // special kinds of number that may be rung in the allowed regions; default none

	Producers []ProducerDestinations `yaml:"producers"`
}

// ProducerDestinations are the numbers of one producer: they must be allowed here and by the rules for all.
type ProducerDestinations struct {
	Producer string `yaml:"producer"` // as deliveries name it
	Allow    List   `yaml:"allow"`
	Deny     List   `yaml:"deny"`
	Kinds    List   `yaml:"kinds"`
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
	d := c.Destinations
	if err := c.checkRules("destinations", d.Allow, d.Deny, d.Kinds); err != nil {
		return err
	}
	known := map[string]bool{}
	for i, p := range d.Producers {
		field := "destinations.producers[" + strconv.Itoa(i) + "]"
		switch {
		case p.Producer == "":
			return c.refuse(field+".producer", "Write it as deliveries name it: an ARN, api:SPACE/NAME or operator:NAME.", "is missing.")
		case known[p.Producer]:
			return c.refuse(field+".producer", "Write its rules in one entry.", "is there twice.")
		case len(p.Allow) == 0:
			return c.refuse(field+".allow", `Name the regions and prefixes that this producer may ring, for example [JP, "+4420"].`, "is missing.")
		}
		if err := c.checkRules(field, p.Allow, p.Deny, p.Kinds); err != nil {
			return err
		}
		known[p.Producer] = true
	}
	return nil
}

func (c *Config) checkRules(field string, allow, deny, kinds []string) error {
	for _, part := range []struct {
		name              string
		allow, deny, kind []string
	}{{"allow", allow, nil, nil}, {"deny", nil, deny, nil}, {"kinds", nil, nil, kinds}} {
		if _, err := rules.NewDestinations(part.allow, part.deny, part.kind); err != nil {
			return c.refuse(field+"."+part.name, "docs/configuration.md has the forms; put digits in quotes.", "holds a rule that is not usable: %v.", err)
		}
	}
	return nil
}

// permission is what may be rung for whom.
type permission struct {
	all *rules.Destinations            // nil: every number, which only an emulator is good for
	of  map[string]*rules.Destinations // beside it, by producer
}

// permission returns the rules as they are configured.
func (c *Config) permission() (permission, error) {
	var p permission
	var err error
	d := c.Destinations
	if len(d.Allow)+len(d.Deny) > 0 {
		if p.all, err = rules.NewDestinations(d.Allow, d.Deny, d.Kinds); err != nil {
			return p, err
		}
	}
	p.of = map[string]*rules.Destinations{}
	for _, own := range d.Producers {
		if p.of[own.Producer], err = rules.NewDestinations(own.Allow, own.Deny, own.Kinds); err != nil {
			return p, err
		}
	}
	return p, nil
}

// judge says whether a number may be rung for a producer: the rules for all and its own must allow it. own tells that its own decided.
func (p permission) judge(number call.Phone, producer string) (v rules.Verdict, own bool) {
	v.Allowed = true
	if p.all != nil {
		v = p.all.Judge(number.Wire())
	}
	if d := p.of[producer]; d != nil && v.Allowed {
		return d.Judge(number.Wire()), true
	}
	return v, false
}

// Beyond lists the configured prefixes that allow what the numbering plan would refuse.
func (c *Config) Beyond() []string {
	p, err := c.permission() // as it was when it was read
	if err != nil {
		return nil
	}
	var beyond []string
	for _, d := range append(slices.Collect(maps.Values(p.of)), p.all) {
		if d != nil {
			beyond = append(beyond, d.Beyond()...)
		}
	}
	slices.Sort(beyond)
	return slices.Compact(beyond)
}

// permit returns the core's question whether a number may be rung, and who is told of one that may not; nil when every one may, which only an
// emulator is good for. Toll fraud needs nothing but a telephone that rings any number (reliability-security.md D1), so a configuration for
// real telephones has to say which ones it is for.
func (c *Config) permit(o Options, a *App) (func(call.Phone, string) error, func(context.Context, call.Phone, string), error) {
	if len(c.Destinations.Allow) == 0 && (c.IsProduction() || c.Connect.Endpoint == "") && !o.ReadOnly && !o.AllowRecovery {
		return nil, nil, c.refuse("destinations.allow", `Name the regions and prefixes that may be rung, for example [JP, "+4420"].`, "is missing; real telephones would ring at any number.")
	}
	p, err := c.permission()
	if err != nil || (p.all == nil && len(p.of) == 0) {
		return nil, nil, err
	}
	return func(number call.Phone, producer string) error {
		v, own := p.judge(number, producer)
		if v.Allowed {
			return nil
		}
		refusal := &call.Error{
			Code: call.CodeDestinationDenied, Field: "destinationPhoneNumber",
			Message: "The number " + number.String() + " may not be rung: " + v.Rule + ".",
			Fix:     "If it is meant, add its region or prefix to destinations.allow, or its kind to destinations.kinds.",
		}
		if own {
			refusal.Message = "The number " + number.String() + " may not be rung for this producer: " + v.Rule + "."
			refusal.Fix = "If it is meant, add its region or prefix to the producer's allow in destinations.producers, or its kind to the kinds there."
		}
		return refusal
	}, a.deniedPrefix(p, o.Clock), nil
}

// deniedPrefix alarms once an hour for each prefix whose numbers are refused, over all processes on the ledger, and not once for each call. What the
// rules of a producer refuse alarms for the producer.
func (a *App) deniedPrefix(p permission, clock call.Clock) func(context.Context, call.Phone, string) {
	var cells call.Cells
	names := a.Cells
	if a.Store != nil && a.Store.Cells != nil {
		cells = a.Store.Cells
	}
	alarms := rules.NewAlarms(cells, names)
	return func(ctx context.Context, number call.Phone, producer string) {
		v, own := p.judge(number, producer)
		prefix := "+" + cmp.Or(v.Number.Prefix, v.Number.Code)
		cause, who := "prefix "+prefix, ""
		if own {
			cause, who = cause+"\x00"+producer, " by "+producer
		}
		if alarms.First(ctx, cause, clock.Now()) {
			a.Observer.Decided(ctx, call.Decided{
				What: "prefix-refused", Code: call.CodeDestinationDenied, Alarm: true,
				Reason: "Numbers that begin with " + prefix + " are asked for" + who + " and may not be rung: " + v.Rule + ".",
			})
		}
	}
}
