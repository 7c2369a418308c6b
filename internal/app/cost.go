package app

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/rules"
)

// Cost is how much money voice calls may cost in a day (docs/holding.md).
type Cost struct {
	Currency string    `yaml:"currency"` // for people; nothing is converted
	Prices   []Price   `yaml:"prices"`
	Ceilings []Ceiling `yaml:"ceilings"`
}

// Price is what a call costs to numbers that begin so.
type Price struct {
	Prefix    string `yaml:"prefix"` // + and digits; default: every number that no other price is about
	PerCall   string `yaml:"per_call"`
	PerMinute string `yaml:"per_minute"` // for each minute of the profile's longest_call
}

// Ceiling is the most that all calls may cost in a day, or those of a producer.
type Ceiling struct {
	Producer string `yaml:"producer"` // as deliveries name it, or each; default: all calls
	PerDay   string `yaml:"per_day"`
}

func (c Cost) isSet() bool { return c.Currency != "" || len(c.Prices) > 0 || len(c.Ceilings) > 0 }

// costDay is the stretch of a ceiling.
const costDay = 24 * time.Hour

// ceilings returns the ceilings as limits of the gate.
func (c *Config) ceilings() ([]rules.Velocity, error) {
	cost, all := c.Limits.Cost, []rules.Velocity(nil)
	if !cost.isSet() {
		return nil, nil
	}
	if cost.Currency != "" && (len(cost.Currency) != 3 || strings.Trim(cost.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return nil, c.refuse("limits.cost.currency", "Write its three letters, such as USD, or remove it.", "is no currency.")
	}
	prices, err := c.prices()
	if err != nil {
		return nil, err
	}
	if len(cost.Ceilings) == 0 {
		return nil, c.refuse("limits.cost.ceilings", "Say what a day may cost, or remove limits.cost.", "is missing; prices alone keep no call.")
	}
	dearest := 0
	for _, p := range c.profiles() {
		if p = p.WithDefaults(); p.Kind.NeedsNumber() {
			dearest = max(dearest, prices.Dearest(p.LongestCall))
		}
	}
	for i, ceiling := range cost.Ceilings {
		field := "limits.cost.ceilings[" + strconv.Itoa(i) + "]"
		if ceiling.PerDay == "" {
			return nil, c.refuse(field+".per_day", "Write an amount of money, such as 250.", "is missing.")
		}
		most, err := rules.ParseMoney(ceiling.PerDay)
		if err != nil {
			return nil, c.refuse(field+".per_day", "Write it with a point, without a currency.", "is no amount of money: %v.", err)
		}
		if most < dearest || most == 0 {
			return nil, c.refuse(field+".per_day", "Raise it, shorten the longest_call of the profiles, or price calls by per_call.",
				"is less than one call may cost, %s, so no call would ring.", rules.Money(dearest, cost.Currency))
		}
		if slices.ContainsFunc(all, func(v rules.Velocity) bool { return v.Producer == ceiling.Producer }) {
			return nil, c.refuse(field+".producer", "Keep one of the two.", "has another ceiling already.")
		}
		all = append(all, rules.Velocity{
			Producer: ceiling.Producer, Most: most, Per: costDay, Stops: true, Prices: prices, Currency: cost.Currency,
		})
	}
	return all, nil
}

func (c *Config) prices() (rules.Prices, error) {
	var all rules.Prices
	rest := false
	for i, p := range c.Limits.Cost.Prices {
		field := "limits.cost.prices[" + strconv.Itoa(i) + "]"
		prefix, err := c.prefix(field+".prefix", p.Prefix)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o rules.Price) bool { return o.Prefix == prefix }) {
			return nil, c.refuse(field+".prefix", "Keep one of the two.", "has another price already.")
		}
		if p.PerCall == "" && p.PerMinute == "" {
			return nil, c.refuse(field+".per_call", "Write per_call, per_minute, or both; 0 where a call costs nothing.", "is missing, and so is per_minute.")
		}
		price := rules.Price{Prefix: prefix}
		for _, amount := range []struct {
			name, text string
			to         *int
		}{{"per_call", p.PerCall, &price.PerCall}, {"per_minute", p.PerMinute, &price.PerMinute}} {
			if amount.text == "" {
				continue
			}
			if *amount.to, err = rules.ParseMoney(amount.text); err != nil {
				return nil, c.refuse(field+"."+amount.name, "Write it with a point, without a currency.", "is no amount of money: %v.", err)
			}
		}
		rest = rest || prefix == ""
		all = append(all, price)
	}
	if !rest {
		return nil, c.refuse("limits.cost.prices", "Add one without a prefix: what a call costs to every other number.", "has no price for the numbers that no entry is about.")
	}
	return all, nil
}

// callers returns the caller ids of all profiles of voice calls, each once.
func (c *Config) callers() []string {
	var all []string
	for _, p := range c.profiles() {
		if caller := rules.CallerOf(p); caller != "" && p.Kind.NeedsNumber() {
			all = append(all, caller)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
