package connectemu

import "time"

// paceOf returns the rate of an operation and the error name of a request beyond it. Where the reference models ThrottlingException
// for an operation it is that one; for the others TooManyRequestsException has been seen.
func (c *Config) paceOf(op Operation) (rate Rate, code string) {
	switch op {
	case OpStartChat:
		return c.Chats.Rate, CodeTooManyRequests
	case OpStartTask:
		return c.Tasks.Rate, CodeThrottling
	case OpDescribe:
		return c.DescribeRate, CodeThrottling
	case OpStop:
		return c.StopRate, CodeTooManyRequests
	case OpSearch:
		return c.SearchRate, CodeThrottling
	case OpGetAttributes, OpUpdateAttributes:
		return c.AttributesRate, CodeTooManyRequests
	case OpTag:
		return c.TagRate, CodeThrottling
	case OpUntag, OpDescribeInstance, OpDescribeFlow, OpDescribeQueue, OpListNumbers, OpListFlows:
		return c.LookupRate, CodeThrottling
	case OpStart, OpAny:
	}
	return c.StartRate, c.ThrottleCode
}

// pace takes from the bucket of the operation, which all instances of the account and Region share.
func (s *Server) pace(cfg *Config, x *exchange, now time.Time) *apiError {
	rate, code := cfg.paceOf(x.op)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[x.op]
	if b == nil {
		b = &bucket{}
		s.buckets[x.op] = b
	}
	if !b.take(rate, now) {
		return refuse(code, "Rate exceeded")
	}
	return nil
}
