package model

import "github.com/ringonce/ringonce/internal/call"

// overHTTP is the same request, whose client is answered before anything is dialed.
func (x Message) overHTTP() Message { x.Later = true; return x }

// accepting is calls that are accepted over HTTP: written due now, answered, and dialed afterwards by the process or by a sweep.
func accepting() []*Config {
	return []*Config{
		world("accept", "accepted over HTTP, with crashes and lost answers of ledger and telephone, asked again", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0).overHTTP()}
			c.Budget = Budget{Crash: 1, Loss: 1, GiveUp: 1, Lost: 1, Attempts: 2}
		}),
		world("accept-and-queue", "one request over HTTP and from a queue at the same time, held for pacing or not", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0).overHTTP(), request(0)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Attempts: 2}
		}),
		world("accept-conflict", "two clients ask for one key with other parameters", func(c *Config) {
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0).overHTTP(), request(0).other().overHTTP(), request(0).other().copies(1)}
			c.Budget = Budget{Crash: 1, Attempts: 2}
		}),
		world("accept-window", "the window ends, and a client asks again", func(c *Config) {
			c.Window = tenDays
			c.Points = []int32{0, window + hour}
			c.Rings = 2
			c.Messages = []Message{request(0).overHTTP(), request(window + hour).overHTTP()}
			c.Budget = Budget{Crash: 1, Loss: 1, Attempts: 3}
		}),
		world("accept-cancel", "a cancel over HTTP before and after what it withdraws is dialed", func(c *Config) {
			c.Points = []int32{0, leaseOver, settled}
			withdrawn := cancel(0)
			withdrawn.Later = true
			c.Messages = []Message{request(0).overHTTP(), withdrawn}
			c.Budget = Budget{Crash: 1, Lost: 1, Throttle: 1, Attempts: 2}
		}),
		world("accept-sweeper-dies", "the sweeper dies, and its heartbeat is believed for a while", func(c *Config) {
			c.Sweeper = SweeperDies
			c.Points = []int32{0, leaseOver, 6 * minute}
			c.Messages = []Message{request(0).overHTTP().copies(3)}
			c.Budget = Budget{Crash: 1, Lost: 1, Hold: 1, Attempts: 2}
		}),
		world("accept-no-sweeper", "no sweeper: what is asked for over HTTP is dialed before it is answered", func(c *Config) {
			c.Sweeper = SweeperNone
			c.Points = []int32{0, leaseOver}
			c.Messages = []Message{request(0).overHTTP().copies(3)}
			c.Budget = Budget{Crash: 1, Lost: 1, Loss: 1, Throttle: 1, Attempts: 3}
		}),
		world("accept-restore", "a restore forgets what was accepted, dialed or not", func(c *Config) {
			c.Journal = true
			c.Points = []int32{0, hour, tokenOver}
			c.Messages = []Message{request(0).overHTTP().copies(1)}
			c.Budget = Budget{Restore: 2, Lost: 1, Attempts: 3}
		}),
		world("accept-never", "accepted under resend: never, and a request that lands late", func(c *Config) {
			c.Resend = call.ResendNever
			c.Points = []int32{0, leaseOver, settled}
			c.Messages = []Message{request(0).overHTTP()}
			c.Budget = Budget{Crash: 1, Lost: 1, Delay: 1, Attempts: 2}
		}),
	}
}
