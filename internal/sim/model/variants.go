package model

import (
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// variant is a world in which a defect is planted, and what it is expected to break.
func variant(id Variant, breaks Promise, about string, change func(*Config)) *Config {
	c := world(string(id), about, change)
	c.Variant, c.Breaks = id, breaks
	return c
}

// Variants returns the planted defects N1 to N25 and R1 to R32. N19 is the control: it breaks nothing.
func Variants() []*Config {
	return slices.Concat(naiveDials(), naiveRules(), naiveRecords(), wrongTokens(), wrongWindows(), wrongRings(), wrongCancels(), wrongFacts(), wrongAccepts())
}

// naiveDials are N1 to N10: what is dialed, and until when.
func naiveDials() []*Config {
	dial := func(points ...int32) func(*Config) {
		return func(c *Config) {
			c.Points = points
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Attempts: 2}
		}
	}
	return []*Config{
		variant("N1", G1, "call, then record; random token", dial(0, leaseOver)),
		variant("N2", G1, "call, then record; deterministic token", dial(0, tokenOver)),
		variant("N3", G1, "intent and lease steal without window check", dial(0, leaseOver, tokenOver)),
		variant("N4a", G4, "parameters recomputed on retry, token of the key only", func(c *Config) {
			dial(0, leaseOver)(c)
			c.Budget.Drift = 1
		}),
		variant("N4b", G1, "parameters recomputed on retry, token includes them", func(c *Config) {
			dial(0, leaseOver)(c)
			c.Budget.Drift = 1
		}),
		variant("N5", G5, "a refusal after an ambiguous attempt recorded as failed", func(c *Config) {
			dial(0, leaseOver)(c)
			c.Budget.Refuse = 1
		}),
		variant("N6", G1, "the memory is as short as the token's validity", func(c *Config) {
			dial(0, tokenOver)(c)
		}),
		variant("N7", G2, "acknowledged before the row is durable", dial(0)),
		variant("N8", G1, "margin M = 2V, with clocks 15 minutes apart from the server's", func(c *Config) {
			dial(0, leaseOver, 7*day)(c)
			c.Skews = [maxWorkers]int32{15 * minute, -15 * minute}
		}),
		variant("N9", G1, "the window is checked at the claim only, not on the signature", dial(0, leaseOver, tokenOver)),
		variant("N10", G1, "resend: token under A1'", func(c *Config) {
			dial(0, leaseOver)(c)
			c.Dies = true
			c.Budget.End = 1
		}),
	}
}

// naiveRules are N11 to N17: evidence, clocks, the far end, restores.
func naiveRules() []*Config {
	evidence := func(c *Config) {
		c.Resend, c.Dies = call.ResendEvidence, true
		c.Points = []int32{0, leaseOver, settled, callOver}
		c.Messages = []Message{request(0).copies(1)}
		c.Budget = Budget{Lost: 1, Delay: 1, End: 1, Attempts: 2}
	}
	restore := func(journal bool) func(*Config) {
		return func(c *Config) {
			c.Workers = 1
			c.Journal = journal
			c.Points = []int32{0, leaseOver, tokenOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Restore: 2, Attempts: 3}
		}
	}
	return []*Config{
		variant("N11a", G1, "the search is believed before the attempt is settled, under A1'", func(c *Config) {
			evidence(c)
			c.Points = []int32{0, leaseOver, 14 * minute}
		}),
		variant("N11b", G1, "settled, and the search may miss, under A1'", evidence),
		variant("N12", G1, "no lower bound on the signature, a clock a day ahead that is set right", func(c *Config) {
			c.Points = []int32{0, 7 * day}
			c.Skews = [maxWorkers]int32{day, 0}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Lost: 1, Step: 1, Attempts: 2}
		}),
		variant("N13", G1, "no freshness at the far end: a request arrives late", func(c *Config) {
			c.Points = []int32{0, leaseOver, tokenOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Delay: 1, Attempts: 2}
		}),
		variant("N14", G1, "failover to another instance while an attempt is open", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Lost: 1, Crash: 1, Attempts: 2}
		}),
		variant("N15", G1, "a restore without taint", restore(true)),
		variant("N16", G1, "a restore with taint and a pinned random token", restore(true)),
		variant("N16b", G2, "a restore without a second copy of what was accepted", func(c *Config) {
			restore(false)(c)
			c.Messages = []Message{request(0).copies(1)}
		}),
		variant("N16c", G2, "a restore with replay, and holders of messages are not stopped first", restore(true)),
		variant("N17", G2, "nobody steals leases", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Attempts: 2}
		}),
	}
}

// naiveRecords are N18 to N25: what is written down.
func naiveRecords() []*Config {
	lost := func(c *Config) {
		c.Points = []int32{0, leaseOver, settled}
		c.Messages = []Message{request(0)}
		c.Budget = Budget{Crash: 1, Lost: 1, Refuse: 1, Delay: 1, Attempts: 2}
	}
	misread := func(c *Config) {
		c.Points = []int32{0, leaseOver}
		c.Messages = []Message{request(0)}
		c.Budget = Budget{Loss: 1, Crash: 1, Attempts: 2}
	}
	doubt := func(c *Config) {
		c.Resend = call.ResendNever
		c.Points = []int32{0, leaseOver, settled, settled + 25*hour, tokenOver}
		c.Messages = []Message{request(0).copies(1)}
		c.Budget = Budget{Lost: 1, Delay: 1, Click: 1, Attempts: 2}
	}
	return []*Config{
		variant("N18", G2, "its own conditional write misread as a lost race, and no sweeper", func(c *Config) {
			misread(c)
			c.Sweeper = SweeperNone
		}),
		variant("N19", "", "the same with a sweeper: the control, which must stay clean", misread),
		variant("N20", G5, "the end of a lease taken as proof of not sent", lost),
		variant("N21", G4, "a duplicate with other parameters overwrites", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0), request(0).other()}
			c.Budget = Budget{Lost: 1, Attempts: 2}
		}),
		variant("N22", G1, "a doubt is dialed again by itself", doubt),
		variant("N23", G5, "a contact id from a worker without the lease is discarded", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Attempts: 2}
		}),
		variant("N24", G1, "an operator re-calls a doubt that is not settled", func(c *Config) {
			doubt(c)
			c.Points = []int32{0, leaseOver, 14 * minute}
			c.Rings = 2
		}),
		variant("N25", G5, "the client library retries inside one attempt", lost),
	}
}
