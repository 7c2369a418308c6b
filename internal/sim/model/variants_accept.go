package model

// wrongAccepts are defects of what is accepted first and dialed afterwards. They are of no section of the protocol, whose sections 15 and 16 are
// about one delivery that dials.
func wrongAccepts() []*Config {
	accepts := func(c *Config) {
		c.Points = []int32{0, leaseOver}
		c.Messages = []Message{request(0).overHTTP()}
		c.Budget = Budget{Crash: 1, Attempts: 2}
	}
	return []*Config{
		variant("H1", G2, "what is accepted is not due", accepts),
		variant("H2", G2, "accepted where no sweeper runs", func(c *Config) {
			accepts(c)
			c.Sweeper = SweeperNone
		}),
		variant("H3", G2, "accepted although the ledger gave no answer", func(c *Config) {
			accepts(c)
			c.Budget.GiveUp = 1
		}),
		variant("H4", G2, "a conflict is answered as accepted", func(c *Config) {
			accepts(c)
			c.Messages = []Message{request(0).overHTTP(), request(0).other().overHTTP()}
		}),
	}
}
