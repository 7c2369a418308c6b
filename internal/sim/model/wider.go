package model

import "slices"

// Wider returns the world with room for so many more crashes and, unless it is large, lost answers of the ledger. Each history of the narrower
// world is one of the wider world too, as a budget only bounds. A ledger whose answers are never lost in the narrow world loses them in the wider
// one.
func (c *Config) Wider(more uint8) *Config {
	wide := *c
	wide.Budget.Crash += more
	if !c.Large {
		wide.Budget.Loss += more
	}
	wide.Limit *= 1 << (3 * more)
	return &wide
}

// Widest widens all, and puts the large ones first: at the end no core shall wait for one of them.
func Widest(configs []*Config, more uint8) []*Config {
	wide := make([]*Config, len(configs))
	for i, c := range configs {
		wide[i] = c.Wider(more)
	}
	slices.SortStableFunc(wide, func(a, b *Config) int {
		switch {
		case a.Large == b.Large:
			return 0
		case a.Large:
			return -1
		}
		return 1
	})
	return wide
}
