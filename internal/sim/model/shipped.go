package model

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Instants just behind the clocks of the protocol, in seconds after the start of what they are counted from.
const (
	leaseOver = 61 * second
	settled   = leaseOver + 30*minute
	callOver  = settled + 4*hour
	useOver   = 6*day + minute // the send rule's end
	tokenOver = 7*day + minute // the token's
)

func request(made int32) Message {
	return Message{Made: made, Stamp: made, Tier: call.TierPayload, Params: "A", Copies: 2}
}

func undated() Message {
	return Message{Tier: call.TierNone, Params: "A", Copies: 2}
}

func cancel(made int32) Message {
	return Message{Made: made, Stamp: made, Tier: call.TierPayload, Cancel: true, Copies: 1}
}

func (x Message) copies(n uint8) Message { x.Copies = n; return x }

func (x Message) other() Message { x.Params = "B"; return x }

func (x Message) until(notAfter int32) Message { x.NotAfter = notAfter; return x }

// world fills what most configurations have in common.
func world(name, about string, change func(*Config)) *Config {
	c := &Config{Name: name, About: about, Workers: 2, Rings: 1, Resend: call.ResendToken, Limit: 6_000_000}
	change(c)
	return c
}

const (
	tenDays = 10 * 24 * time.Hour
	window  = 10 * day
)

// Configurations returns the worlds of the shipped protocol, each of which covers one area.
func Configurations() []*Config {
	return slices.Concat(dialing(), clocks(), ringing(), recalling(), withdrawing(), losing(), accepting())
}

// dialing is one ring: crashes, lost answers, refusals, the three policies and the two readings.
func dialing() []*Config {
	return []*Config{
		world("dial", "crashes, lost answers of ledger and telephone, redelivery, lease steal, under A1", func(c *Config) {
			c.Points = []int32{0, leaseOver, useOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Loss: 1, Lost: 1, Delay: 1, Attempts: 3}
		}),
		world("three-workers", "three workers on one key", func(c *Config) {
			c.Workers = 3
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0).copies(3)}
			c.Budget = Budget{Crash: 1, Lost: 1, Attempts: 2}
		}),
		world("never", "resend: never, a request that lands late, looks, a contact event, under A1", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, settled, settled + hour}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, Attempts: 2}
		}),
		world("never-dies", "resend: never under A1'", func(c *Config) {
			c.Resend, c.Dies, c.Misses = call.ResendNever, true, true
			c.Points = []int32{0, leaseOver, settled, settled + hour}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, End: 1, Refuse: 1, Attempts: 2}
		}),
		world("evidence", "resend: evidence under A1; a search may miss", func(c *Config) {
			c.Resend, c.Misses = call.ResendEvidence, true
			c.Points = []int32{0, leaseOver, settled, callOver, useOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, Attempts: 2}
		}),
		world("evidence-dies", "resend: evidence under A1' with a search that finds what has ended", func(c *Config) {
			c.Resend, c.Dies = call.ResendEvidence, true
			c.Points = []int32{0, leaseOver, settled, callOver, useOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, End: 1, Attempts: 2}
		}),
		world("refusals", "refusals and throttles before and after a lost answer, which consume the token", func(c *Config) {
			c.Consumes, c.MaxAttempts = true, 2
			c.Points = []int32{0, leaseOver, useOver}
			c.Rings = 2
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Refuse: 1, Throttle: 2, Attempts: 3}
		}),
		world("not-sent", "attempts that were not sent beside throttles that consume the token: firstSigned and pin", func(c *Config) {
			c.Consumes, c.Workers = true, 1
			c.Points = []int32{0, leaseOver, 2 * day, useOver, 8 * day}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Lost: 1, Throttle: 1, NotSent: 2, Drift: 1, Attempts: 4}
		}),
		world("drift", "the configuration changes the body between attempts", func(c *Config) {
			c.Points = []int32{0, leaseOver, 2 * leaseOver}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Drift: 1, NotSent: 1, Throttle: 1, Attempts: 3}
		}),
		world("held", "held for pacing, with a time limit that passes", func(c *Config) {
			c.Points = []int32{0, leaseOver, hour, 2 * hour}
			c.Messages = []Message{request(0).until(hour - 1)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Throttle: 1, Attempts: 2}
		}),
		world("conflict", "two producers ask for one key with other parameters", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0), request(0).other()}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Attempts: 2}
		}),
	}
}

// clocks is what wrong clocks, frozen workers and slow networks do to the send rule.
func clocks() []*Config {
	return []*Config{
		world("skew", "one clock 15 minutes ahead, one 15 minutes behind, at both ends of the token", func(c *Config) {
			c.Points = []int32{0, leaseOver, 7*day - 1, 7 * day}
			c.Skews = [maxWorkers]int32{15 * minute, -15 * minute}
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Lost: 1, Step: 1, Attempts: 2}
		}),
		world("stepped", "a clock a day ahead that is set right between intent and signature", func(c *Config) {
			c.Large = true
			c.Points = []int32{0, leaseOver, day + leaseOver, 7*day - minute, 7 * day, tokenOver + day}
			c.Skews = [maxWorkers]int32{day, 0}
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Lost: 1, Step: 1, Attempts: 2}
		}),
		world("late", "requests that travel for minutes and days, and a worker that is frozen between intent and signature", func(c *Config) {
			c.Points = []int32{0, leaseOver, 16 * minute, tokenOver}
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Delay: 1, Lost: 1, Attempts: 2}
		}),
		world("producer-clock", "a producer whose clock runs ahead dates its requests in the future", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, leaseOver, window}
			c.Rings = 2
			ahead := request(0)
			ahead.Stamp = window + day
			c.Messages = []Message{request(0), ahead}
			c.Budget = Budget{Crash: 1, Attempts: 2}
		}),
	}
}

// ringing is the next rings of a key that requests ask for: windows.
func ringing() []*Config {
	return []*Config{
		world("window", "the window ends, late redeliveries, undated deliveries, a request that re-opens it", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, leaseOver, window + hour}
			c.Rings = 3
			c.Messages = []Message{request(0), undated().copies(1), request(window + hour).copies(1)}
			c.Budget = Budget{Attempts: 3}
		}),
		world("window-lost", "lost answers of the ledger while a window is re-opened", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, window + hour}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), request(window + hour)}
			c.Budget = Budget{Crash: 1, Loss: 1, Attempts: 3}
		}),
		world("window-held", "a call that is placed long after its request: the window runs from the placing", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, 2 * day, window + hour, window + 3*day}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), request(window + hour)}
			c.Budget = Budget{Hold: 1, Attempts: 3}
		}),
		world("limits", "a request with a time limit, and a later one without", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, window + hour}
			c.Rings = 2
			c.Messages = []Message{request(0).until(hour).copies(1), request(window + hour)}
			c.Budget = Budget{Crash: 1, Refuse: 1, Lost: 1, Attempts: 3}
		}),
		world("failed-ring", "a later ring fails inside the window of an earlier one", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, 2 * day, 4 * day}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1), request(4 * day).copies(1)}
			c.Budget = Budget{Refuse: 1, Click: 1, Attempts: 3}
		}),
	}
}

// recalling is the next rings that are not asked for by a request: clicks, rules, token age, repaired setups.
func recalling() []*Config {
	return []*Config{
		world("double-click", "an operator clicks twice, or in two windows", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Rings = 3
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Click: 2, Crash: 1, Loss: 1, Refuse: 1, Attempts: 3}
		}),
		world("rules", "re-calls by rule: an automaton opens the next ring of each final one", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Rule: 3, Crash: 1, Refuse: 1, Attempts: 3}
		}),
		world("rules-lost", "re-calls by rule with lost answers: none of a doubt", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, settled}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Rule: 2, Crash: 1, Lost: 1, Event: 1, Attempts: 2}
		}),
		world("doubt-recalled", "an operator re-calls a doubt, and a request of it lands late", func(c *Config) {
			c.Large = true
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, 14 * minute, settled, settled + 25*hour}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1).until(2 * minute)}
			c.Budget = Budget{Lost: 1, Delay: 1, Click: 1, Attempts: 2}
		}),
		world("doubt-later", "a doubt of ring 1 or 2, of later requests by rule, is re-called", func(c *Config) {
			c.Workers = 1
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, settled, settled + 25*hour}
			c.Rings = 4
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Lost: 1, Delay: 1, Rule: 2, Click: 1, Refuse: 1, Attempts: 4}
		}),
		world("token-age", "the token grows too old with none open: the next ring takes over, on one row and on two", func(c *Config) {
			c.Consumes = true
			c.Points = []int32{0, leaseOver, useOver, 2 * useOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Crash: 1, Throttle: 2, Attempts: 3}
		}),
		world("token-age-lost", "the same with lost answers of the ledger and of the telephone", func(c *Config) {
			c.Points = []int32{0, useOver, 2 * useOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Loss: 1, GiveUp: 1, Throttle: 2, Lost: 1, Attempts: 3}
		}),
		world("repin", "a setup is repaired by a configuration that changes the body, on one row and on two", func(c *Config) {
			c.Points = []int32{0, 2 * hour, 4 * hour}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Crash: 1, Setup: 2, Drift: 2, Lost: 1, Attempts: 3}
		}),
		world("conflict-rings", "other parameters arrive after a further ring", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, window + hour}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), request(window + hour), request(window + hour).other(), undated().other().copies(1)}
			c.Budget = Budget{Crash: 1, Attempts: 2}
		}),
	}
}

// withdrawing is cancels, before and after what they withdraw.
func withdrawing() []*Config {
	return []*Config{
		world("cancel", "a cancel before, during and after the dial", func(c *Config) {
			c.Points = []int32{0, leaseOver, settled}
			c.Messages = []Message{request(0), cancel(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Throttle: 1, Attempts: 2}
		}),
		world("cancel-late", "a cancel while a request is on its way for long", func(c *Config) {
			c.Points = []int32{0, leaseOver, 14 * minute, settled}
			c.Messages = []Message{request(0).copies(1), cancel(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, Attempts: 2}
		}),
		world("cancel-undated", "requests without a date, which count as made before every cancel", func(c *Config) {
			c.Points = []int32{0, leaseOver, 2 * leaseOver}
			c.Messages = []Message{undated(), cancel(0), {Made: leaseOver, Tier: call.TierNone, Cancel: true, Copies: 1}}
			c.Budget = Budget{Crash: 1, Hold: 1, Throttle: 1, Attempts: 2}
		}),
		world("cancel-window", "a cancel beside the request that re-opens the window, and an old cancel that comes late", func(c *Config) {
			c.Large = true
			c.Window = tenDays
			c.Points = []int32{0, window + hour}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), request(window + hour), cancel(window + hour), cancel(0)}
			c.Budget = Budget{Crash: 1, Throttle: 1, Attempts: 3}
		}),
		world("cancel-child", "a cancel while the row of a claimed ring does not exist", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Rings = 2
			c.Messages = []Message{request(0).copies(1), cancel(leaseOver)}
			c.Budget = Budget{Crash: 1, Click: 1, Loss: 1, Throttle: 1, Attempts: 2}
		}),
		world("cancel-again", "a request that is made again after its cancel", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, leaseOver, 2 * leaseOver}
			c.Rings = 2
			c.Messages = []Message{request(0), cancel(leaseOver), request(2 * leaseOver)}
			c.Budget = Budget{Crash: 1, Hold: 1, Refuse: 1, Attempts: 2}
		}),
	}
}

// losing is what is lost beside the worker: the ledger's writes and past, the sweeper.
func losing() []*Config {
	return []*Config{
		world("spool", "answers that the ledger does not take", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, settled, settled + 25*hour}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, GiveUp: 2, Lost: 1, Attempts: 2}
		}),
		world("no-sweeper", "no sweeper: redelivery drives every call", func(c *Config) {
			c.Sweeper = SweeperNone
			c.Points = []int32{0, leaseOver, useOver}
			c.Messages = []Message{request(0).copies(3)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Throttle: 1, Loss: 1, Attempts: 3}
		}),
		world("sweeper-dies", "the sweeper dies, and its heartbeat is believed for a while", func(c *Config) {
			c.Sweeper = SweeperDies
			c.Points = []int32{0, leaseOver, 6 * minute}
			c.Messages = []Message{request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Attempts: 2}
		}),
		world("restore", "the ledger goes back to a backup; what was acknowledged since is delivered again", func(c *Config) {
			c.Large = true
			c.Journal = true
			c.Points = []int32{0, hour, useOver, tokenOver}
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Restore: 2, Lost: 1, Attempts: 3}
		}),
		world("restore-no-journal", "the same without a second copy of what was accepted: G2 is not promised", func(c *Config) {
			c.Workers = 1
			c.Points = []int32{0, hour, tokenOver}
			c.Messages = []Message{request(0).copies(2)}
			c.Budget = Budget{Restore: 2, Lost: 1, Attempts: 3}
		}),
		world("restore-rings", "a restore forgets further rings of a key", func(c *Config) {
			c.Large = true
			c.Window = tenDays
			c.Journal = true
			c.Workers = 1
			c.Points = []int32{0, window + hour, window + hour + tokenOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1), request(window + hour)}
			c.Budget = Budget{Restore: 2, Click: 1, Lost: 1, Attempts: 3}
		}),
		world("restore-rules", "a restore forgets re-calls by rule", func(c *Config) {
			c.Journal = true
			c.Workers = 1
			c.Points = []int32{0, useOver, tokenOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Restore: 2, Rule: 2, Lost: 1, Attempts: 3}
		}),
		world("restore-age", "a restore forgets a ring by token age", func(c *Config) {
			c.Journal, c.Consumes = true, true
			c.Workers = 1
			c.Points = []int32{0, useOver, tokenOver, 2 * tokenOver}
			c.Rings = 3
			c.Messages = []Message{request(0).copies(1)}
			c.Budget = Budget{Restore: 2, Throttle: 1, Lost: 1, Attempts: 3}
		}),
		world("restore-cancel", "a restore forgets a cancel", func(c *Config) {
			c.Journal = true
			c.Workers = 1
			c.Points = []int32{0, hour, useOver}
			c.Messages = []Message{request(0), cancel(0)}
			c.Budget = Budget{Restore: 2, Hold: 1, Lost: 1, Throttle: 1, Attempts: 2}
		}),
	}
}
