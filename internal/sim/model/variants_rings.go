package model

import "github.com/ringonce/ringonce/internal/call"

// wrongTokens are R1 to R4: when the token's span begins and ends.
func wrongTokens() []*Config {
	consumed := func(c *Config) {
		c.Consumes, c.Workers = true, 1
		c.Points = []int32{0, 2 * day, 2*day + minute, 8*day - hour}
		c.Messages = []Message{request(0).copies(1)}
		c.Budget = Budget{Lost: 1, Throttle: 1, NotSent: 1, Attempts: 4}
	}
	return []*Config{
		variant("R1", G1, "firstSigned begins anew when none is open, and a throttle consumes the token", consumed),
		variant("R2", G1, "firstSigned begins anew when only the last attempt was not sent", consumed),
		variant("R3", G4, "firstSigned is kept and the body pinned anew", func(c *Config) {
			consumed(c)
			c.Points = []int32{0, leaseOver}
			c.Budget.Drift = 1
		}),
		variant("R4", G1, "the next ring by token age while an attempt is open", func(c *Config) {
			c.Points = []int32{0, leaseOver, useOver}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Lost: 1, Crash: 1, Attempts: 2}
		}),
	}
}

// wrongWindows are the variants of what re-opens a key: R5 to R7, R12, R13, R15, R18, R19.
func wrongWindows() []*Config {
	reopen := func(c *Config) {
		c.Window = tenDays
		c.Points = []int32{0, window + hour}
		c.Rings = 3
		c.Messages = []Message{request(0).copies(1), request(window + hour)}
		c.Budget = Budget{Crash: 1, Attempts: 3}
	}
	return []*Config{
		variant("R5", G1, "an undated delivery re-opens a window", func(c *Config) {
			reopen(c)
			c.Messages = []Message{undated()}
		}),
		variant("R6", G1, "the last ring is incremented without compare", reopen),
		variant("R7", G1, "no window check", func(c *Config) {
			reopen(c)
			c.Points = []int32{0, day}
			c.Messages = []Message{request(0).copies(1), request(day)}
		}),
		variant("R12", G2, "the child inherits the parent's time limit", func(c *Config) {
			reopen(c)
			c.Messages[0] = request(0).until(hour)
		}),
		variant("R13", G2, "acknowledged before the compare-and-set, then a crash", func(c *Config) {
			reopen(c)
			c.Messages[1].Copies = 1
		}),
		variant("R15", G1, "the window is measured from requestedAt", func(c *Config) {
			reopen(c)
			c.Points = []int32{0, 2 * day, window + hour}
			c.Budget.Hold = 1
		}),
		variant("R18", G1, "a failed ring re-opens although an earlier ring's window runs", func(c *Config) {
			reopen(c)
			c.Points = []int32{0, 2 * day, 4 * day}
			c.Messages = []Message{request(0).copies(1), request(4 * day)}
			c.Budget = Budget{Click: 1, Refuse: 1, Attempts: 3}
		}),
		variant("R19", G1, "a requestedAt in the future is trusted", func(c *Config) {
			reopen(c)
			c.Points = []int32{0, leaseOver}
			ahead := request(0)
			ahead.Stamp = window + day
			c.Messages = []Message{request(0), ahead}
		}),
	}
}

// wrongRings are the variants of how a next ring comes to be: R8 to R11, R14, R16, R17, R20.
func wrongRings() []*Config {
	rules := func(c *Config) {
		c.Points = []int32{0}
		c.Rings = 3
		c.Messages = []Message{request(0).copies(1)}
		c.Budget = Budget{Rule: 2, Crash: 1, Attempts: 3}
	}
	return []*Config{
		variant("R8", G1, "a click does not name the ring that it saw", func(c *Config) {
			rules(c)
			c.Budget = Budget{Click: 2, Attempts: 3}
		}),
		variant("R9", G1, "a doubt is re-called before it is settled", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, 14 * minute}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Delay: 1, Rule: 1, Click: 1, Attempts: 3}
		}),
		variant("R10", G2, "only the opener creates the child", rules),
		variant("R11", G2, "the sweeper clears the claim without compare", rules),
		variant("R14", G5, "a token without the ring number", rules),
		variant("R16", G1, "the next ring on a parent that is not final", func(c *Config) {
			rules(c)
			c.Budget = Budget{Click: 1, Attempts: 2}
		}),
		variant("R17", G2, "token age: failed first, then the last ring", func(c *Config) {
			c.Points = []int32{0, useOver}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Throttle: 1, Crash: 1, Attempts: 2}
		}),
		variant("R20", G2, "due only while the first row is not final", rules),
	}
}

// wrongCancels are R21 to R27.
func wrongCancels() []*Config {
	first := func(c *Config) {
		c.Points = []int32{0, leaseOver, settled}
		c.Messages = []Message{request(0), cancel(0)}
		c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Throttle: 1, Attempts: 2}
	}
	reopen := func(c *Config) {
		c.Window = tenDays
		c.Points = []int32{0, window + hour}
		c.Rings = 2
		c.Messages = []Message{request(0).copies(1), request(window + hour).copies(1), cancel(window + hour)}
		c.Budget = Budget{Throttle: 1, Attempts: 3}
	}
	return []*Config{
		variant("R21", Canceled, "a cancel that overtakes the re-opening delivery does nothing", reopen),
		variant("R22", G5, "canceled at once while an attempt is open", first),
		variant("R23", G2, "a cancel hits the highest ring whatever its time", func(c *Config) {
			reopen(c)
			c.Messages[2] = cancel(0)
		}),
		variant("R24", Canceled, "no tombstone", first),
		variant("R25", Canceled, "resend after a cancel was requested", first),
		variant("R26", Canceled, "an undated ring is dated by its receive time", func(c *Config) {
			c.Points = []int32{0, leaseOver, 2 * leaseOver}
			c.Messages = []Message{undated(), cancel(0)}
			c.Budget = Budget{Hold: 1, Attempts: 2}
		}),
		variant("R27", Canceled, "an absent child is ignored by a cancel", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), cancel(leaseOver)}
			c.Budget = Budget{Crash: 1, Click: 1, Attempts: 2}
		}),
	}
}

// wrongFacts are R28 to R32.
func wrongFacts() []*Config {
	never := func(c *Config) {
		c.Resend = call.ResendNever
		c.Points = []int32{0, leaseOver, settled}
		c.Messages = []Message{request(0)}
		c.Budget = Budget{Crash: 1, GiveUp: 1, Attempts: 2}
	}
	return []*Config{
		variant("R28", G5, "a fact is dropped when its compare fails", never),
		variant("R29", G5, "an unwritable fact is kept in memory only", never),
		variant("R30", G2, "always acknowledged, and no sweeper", func(c *Config) {
			c.Sweeper = SweeperNone
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Hold: 1, Throttle: 1, Attempts: 2}
		}),
		variant("R31", G2, "the sweeper never returns after the acknowledgement", func(c *Config) {
			c.Sweeper = SweeperDies
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Hold: 1, Throttle: 1, Attempts: 2}
		}),
		variant("R32", G1, "write 1 without the lease end, resend: evidence under A1'", func(c *Config) {
			c.Resend, c.Dies = call.ResendEvidence, true
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{End: 1, Crash: 1, Attempts: 2}
		}),
	}
}
