package transport

import (
	"math"
	"strconv"
	"time"
)

// What the services do while a target cannot be reached.
const (
	busAge   = day // EventBridge and Scheduler: "24 hours and up to 185 times" (protocol.md F12)
	busTries = 185
	// busGap is the longest gap between two tries. EventBridge says exponential backoff and jitter, and no figure: with 8 minutes the 185 tries take
	// about the 24 hours.
	busGap = 8 * time.Minute

	// SNS to Lambda and SQS: 3 tries without delay, 2 a second apart, 10 from 1 to 20 seconds, 100,000 at 20 seconds: 100,015 over 23 days (SNS
	// Developer Guide, "Amazon SNS message delivery retries").
	topicImmediate = 3
	topicPre       = 2
	topicBackoff   = 10
	topicGap       = 20 * time.Second
	topicHorizon   = 100_000 * topicGap
)

func (s service) horizon() time.Duration {
	if s == serviceSNS {
		return topicHorizon
	}
	return busAge
}

// accept gives a copy to a service, which gives it an id and a time that its tries keep (facts/event-envelopes.md section 3).
func (n *Network) accept(p *parcel, now time.Time) {
	s := p.msg.route.services[p.hop]
	p.state, p.since, p.tries = StateTraveling, now, 0
	p.reachable = n.unreachableUntil(now, s.horizon())
	switch s {
	case serviceEventBridge:
		if p.EventID == "" {
			p.EventID, p.EventTime = n.id(), now.Truncate(time.Second) // 1 s resolution
		}
		p.text = n.event(p)
	case serviceSNS:
		p.TopicID, p.TopicTime = n.id(), now.Truncate(time.Millisecond)
		p.inner = p.text
		p.text = n.notification(p)
	case serviceScheduler:
		p.Scheduled = now.Truncate(time.Second)
	}
	n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(n.latency()))
	if !p.twice && n.chance(n.profile.Duplicate) {
		p.twice = true
		n.counts.Duplicates++
		twin := n.clone(p, CauseDuplicate)
		n.schedule(&twin.slot, &n.lines[lineAgenda], now.Add(n.spread(time.Millisecond, time.Minute)))
	}
}

func (n *Network) unreachableUntil(now time.Time, horizon time.Duration) time.Time {
	if !n.chance(n.profile.Unreachable) {
		return time.Time{}
	}
	n.counts.Unreachable++
	return now.Add(n.spread(time.Second, 2*horizon))
}

// forward is one try of a service to hand a copy on.
func (n *Network) forward(p *parcel, now time.Time) {
	s := p.msg.route.services[p.hop]
	if s == serviceScheduler {
		p.Execution = n.id() // new for every attempt
		p.text = scheduled(p, n)
	}
	if now.Before(p.reachable) {
		p.tries++
		if gap, more := n.gap(s, p.tries, now.Sub(p.since)); more {
			n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(gap))
			return
		}
		n.giveUp(p, s, now)
		return
	}
	p.hop++
	n.hand(p, now)
}

// gap returns the time to the next try after so many failed ones, and false when there is none.
func (n *Network) gap(s service, failed int, age time.Duration) (time.Duration, bool) {
	if s == serviceSNS {
		return topicRetry(failed, n.options.TopicTries)
	}
	if failed > busTries || age >= busAge {
		return 0, false
	}
	gap := busGap
	if failed < 9 {
		gap = min(gap, time.Second<<failed)
	}
	jittered := time.Duration(float64(gap) * (0.8 + 0.4*n.rng.Float64()))
	return min(jittered.Truncate(time.Millisecond), busAge-age), true
}

// topicRetry is SNS's delivery policy. Of the 100,000 tries of its last phase only some are made: the first after 20 seconds and the last after
// 2,000,000, each gap between them longer than the one before.
func topicRetry(failed, last int) (time.Duration, bool) {
	switch k := failed - topicImmediate - topicPre - topicBackoff; {
	case failed <= topicImmediate:
		return 0, true
	case failed <= topicImmediate+topicPre:
		return time.Second, true
	case k <= 0:
		step := float64(k+topicBackoff-1) / (topicBackoff - 1)
		return time.Duration(float64(time.Second) * math.Pow(20, step)).Truncate(time.Millisecond), true
	case k == 1:
		return topicGap, true
	case k <= last:
		at := func(j int) time.Duration {
			return time.Duration(float64(topicGap) * math.Pow(100_000, float64(j-1)/float64(last-1))).Round(time.Second)
		}
		return at(k) - at(k-1), true
	}
	return 0, false
}

// giveUp moves a copy to the dead-letter queue of a service's subscription, target or schedule. Such a queue holds a message of its own: a new
// messageId, and a SentTimestamp that is the time of giving up.
func (n *Network) giveUp(p *parcel, s service, now time.Time) {
	if n.options.NoDeadLetters {
		n.expire(p)
		return
	}
	tries := strconv.Itoa(p.tries - 1)
	switch s {
	case serviceSNS: // the envelope, without marks
		if p.msg.Form != SNSRawInSQS {
			p.text = n.envelope(p, "SigningCertURL", "UnsubscribeURL")
		}
		p.marks = nil
	case serviceEventBridge:
		p.marks = marks(mark{"RULE_ARN", n.fixed.rule}, mark{"TARGET_ARN", n.fixed.function}, mark{"ERROR_CODE", "THROTTLING"},
			mark{"ERROR_MESSAGE", "Rate exceeded"}, mark{"RETRY_ATTEMPTS", tries}, mark{"EXHAUSTED_RETRY_CONDITION", exhausted(p)})
	case serviceScheduler:
		p.marks = marks(mark{"SCHEDULE_ARN", n.fixed.schedule}, mark{"SCHEDULED_TIME", string(appendTime(nil, p.Scheduled, secondsLayout))},
			mark{"EXECUTION_ID", p.Execution}, mark{"TARGET_ARN", n.fixed.function}, mark{"ERROR_CODE", "Lambda.TooManyRequestsException"},
			mark{"ERROR_MESSAGE", "Rate Exceeded."}, mark{"RETRY_ATTEMPTS", tries}, mark{"EXHAUSTED_RETRY_CONDITION", exhausted(p)},
			mark{"IS_PAYLOAD_TRUNCATED", "false"})
	}
	n.bury(p, now)
}

func exhausted(p *parcel) string {
	if p.tries > busTries {
		return "MaximumRetryAttempts"
	}
	return "MaximumEventAgeInSeconds"
}
