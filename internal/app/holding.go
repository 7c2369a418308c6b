package app

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/rules"
)

// Holding is when people may be rung, for profiles that say nothing of their own (docs/holding.md).
type Holding struct {
	Hours    []string `yaml:"hours"`     // such as "mon-fri 09:00-20:00"
	Closed   []string `yaml:"closed"`    // days without a ring, such as "12-29..01-03"
	TimeZone string   `yaml:"time_zone"` // of recipients whose zone neither the request nor the number tells
}

// Limits are the limits that all profiles share.
type Limits struct {
	PerNumber  List       `yaml:"per_number"` // such as "3 per 1h": rings of one number
	Velocity   []Velocity `yaml:"velocity"`
	Cost       Cost       `yaml:"cost"`
	Concurrent int        `yaml:"concurrent"`  // contacts at once in a Region; 0 means no limit
	NewCountry string     `yaml:"new_country"` // alarm (default): the first call to each country alarms; or off
	SlotLease  string     `yaml:"slot_lease"`  // when a slot is free though nothing has told so; default: the profile's longest_call
}

// Velocity limits the calls to a prefix, of a producer, with a caller id, or all of them.
type Velocity struct {
	Prefix   string `yaml:"prefix"`    // + and digits; default: every number
	Producer string `yaml:"producer"`  // as deliveries name it, or each; default: every producer
	CallerID string `yaml:"caller_id"` // the source_phone or queue_id of profiles, or each; default: every one
	Most     int    `yaml:"most"`
	Per      string `yaml:"per"`
	Then     string `yaml:"then"` // stop (default): paused until a person resumes; or hold
}

// DoNotCall holds the key under which the numbers of the do-not-call list and of the caps are kept.
type DoNotCall struct {
	KeyFile   string `yaml:"key_file"`   // at least 32 bytes, readable by its owner only
	KeySecret string `yaml:"key_secret"` // instead of a file: the ARN of a secret or SecureString parameter
}

// checkHolding reads everything that says when a call waits, so that a wrong member is named before anything is opened.
func (c *Config) checkHolding() error {
	if c.DriverName() == driverNone {
		if field := c.holdsWithoutLedger(); field != "" {
			return c.refuse(field, "Configure a ledger, or remove it.", "needs a ledger, and ledger.driver is none.")
		}
	}
	if c.DoNotCall != (DoNotCall{}) {
		if err := c.checkKey("do_not_call", c.DoNotCall.KeyFile, c.DoNotCall.KeySecret, "do_not_call is configured"); err != nil {
			return err
		}
	}
	if err := c.checkHours("holding", c.Holding.Hours, c.Holding.Closed, c.Holding.TimeZone, c.Holding.TimeZone); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		p, field := c.Profiles[name], "profiles."+name
		if err := c.checkHours(field, p.Hours, p.Closed, p.TimeZone, cmp.Or(p.TimeZone, c.Holding.TimeZone)); err != nil {
			return err
		}
		if err := c.oneOf(field+".urgent", p.Urgent, "off", "on", "override_do_not_call"); err != nil {
			return err
		}
		if err := c.oneOf(field+".caps", p.Caps, "on", "off"); err != nil {
			return err
		}
	}
	_, err := c.limits()
	return err
}

// holdsWithoutLedger names a setting that the token alone cannot keep (protocol.md section 9). Those of profiles are checked with them.
func (c *Config) holdsWithoutLedger() string {
	for _, s := range []struct {
		field string
		set   bool
	}{
		{"holding.hours", len(c.Holding.Hours) > 0},
		{"holding.closed", len(c.Holding.Closed) > 0},
		{"holding.time_zone", c.Holding.TimeZone != ""},
		{"limits.per_number", len(c.Limits.PerNumber) > 0},
		{"limits.velocity", len(c.Limits.Velocity) > 0},
		{"limits.cost", c.Limits.Cost.isSet()},
		{"limits.concurrent", c.Limits.Concurrent != 0},
		{"limits.new_country", c.Limits.NewCountry != ""},
		{"limits.slot_lease", c.Limits.SlotLease != ""},
		{"do_not_call", c.DoNotCall != (DoNotCall{})},
		{"pacing.shared", c.Pacing.Shared != nil && *c.Pacing.Shared},
	} {
		if s.set {
			return s.field
		}
	}
	return ""
}

func (c *Config) checkHours(field string, hours, closed []string, zone, otherwise string) error {
	if zone != "" {
		if err := rules.CheckZone(zone); err != nil {
			return c.refuse(field+".time_zone", "Use a name of the tz database, such as Asia/Tokyo.", "is not usable: %v.", err)
		}
	}
	for _, part := range []struct {
		name            string
		windows, closed []string
	}{{"hours", hours, nil}, {"closed", nil, closed}} {
		if _, err := rules.ParseHours(part.windows, part.closed); err != nil {
			return c.refuse(field+"."+part.name, "docs/hours.md has the forms.", "holds an entry that is not usable: %v.", err)
		}
	}
	if (len(hours) > 0 || len(closed) > 0) && otherwise == "" {
		return c.refuse(field+".time_zone", "Name the zone that holds where neither the request nor the number tells one.", "is missing beside hours.")
	}
	return nil
}

// hoursOf returns the hours of a profile, or those that all share; nil when every time is allowed.
func (c *Config) hoursOf(p Profile) (*rules.Hours, string, error) {
	hours, closed, zone := p.Hours, p.Closed, cmp.Or(p.TimeZone, c.Holding.TimeZone)
	if len(hours) == 0 {
		hours = c.Holding.Hours
	}
	if len(closed) == 0 {
		closed = c.Holding.Closed
	}
	if len(hours) == 0 && len(closed) == 0 {
		return nil, zone, nil
	}
	h, err := rules.ParseHours(hours, closed)
	return h, zone, err
}

// limits returns the limits as the gate uses them.
func (c *Config) limits() (g rules.GateConfig, err error) {
	for _, text := range c.Limits.PerNumber {
		limit, err := rules.ParseCap(text, parseDuration)
		if err != nil {
			return g, c.refuse("limits.per_number", "Write a count and a duration, such as 3 per 1h.", "holds a cap that is not usable: %v.", err)
		}
		g.Caps = append(g.Caps, limit)
	}
	for i, v := range c.Limits.Velocity {
		limit, err := c.velocity("limits.velocity["+strconv.Itoa(i)+"]", v)
		if err != nil {
			return g, err
		}
		same := func(o rules.Velocity) bool {
			return o.Prefix == limit.Prefix && o.Producer == limit.Producer && o.Caller == limit.Caller && o.Per == limit.Per
		}
		if slices.ContainsFunc(g.Limits, same) {
			return g, c.refuse("limits.velocity["+strconv.Itoa(i)+"]", "Keep one of the two.", "limits the same calls for the same time as another entry.")
		}
		g.Limits = append(g.Limits, limit)
	}
	ceilings, err := c.ceilings()
	if err != nil {
		return g, err
	}
	g.Limits, g.Callers = append(g.Limits, ceilings...), c.callers()
	if g.Slots = c.Limits.Concurrent; g.Slots < 0 || g.Slots > rules.MostSlots {
		return g, c.refuse("limits.concurrent", "Use your quota of concurrent calls, or 0 for no limit.", "is outside 0 to %d.", rules.MostSlots)
	}
	if err = c.oneOf("limits.new_country", c.Limits.NewCountry, "alarm", "off"); err != nil {
		return g, err
	}
	g.Countries = c.Limits.NewCountry != "off"
	_, err = c.duration("limits.slot_lease", c.Limits.SlotLease, time.Minute, 24*time.Hour)
	return g, err
}

func (c *Config) velocity(field string, v Velocity) (out rules.Velocity, err error) {
	digits, err := c.prefix(field+".prefix", v.Prefix)
	if err != nil {
		return out, err
	}
	if v.CallerID != "" && v.CallerID != rules.Each && !slices.Contains(c.callers(), v.CallerID) {
		return out, c.refuse(field+".caller_id", "Write it as source_phone of a profile does, its queue_id where it has none, or each.", "is the caller id of no profile.")
	}
	if v.Most < 1 || v.Most > rules.MostOfVelocity {
		return out, c.refuse(field+".most", "Say how many calls are still usual.", "is outside 1 to %d.", rules.MostOfVelocity)
	}
	if v.Per == "" {
		return out, c.refuse(field+".per", "Write a duration, such as 1h or 1d.", "is missing.")
	}
	if err = c.oneOf(field+".then", v.Then, "stop", "hold"); err != nil {
		return out, err
	}
	out = rules.Velocity{Prefix: digits, Producer: v.Producer, Caller: v.CallerID, Most: v.Most, Stops: v.Then != "hold"}
	out.Per, err = c.duration(field+".per", v.Per, time.Minute, rules.LongestOfVelocity)
	return out, err
}

// prefix returns the digits of a configured prefix; none for an empty one.
func (c *Config) prefix(field, text string) (string, error) {
	digits, plus := strings.CutPrefix(text, "+")
	if text != "" && (!plus || digits == "" || len(digits) > 15 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "") {
		return "", c.refuse(field, "Write + and the first digits of the numbers, with their calling code, in quotes.", "is no prefix.")
	}
	return digits, nil
}
