package call

import (
	"testing"
	"time"
)

const day = 24 * time.Hour

type replyCase struct {
	name       string
	first, top Call
	stamp      Stamp
	received   time.Duration
	p          Profile
	want       Reply
}

var (
	short   = Profile{Window: Window{For: day}}
	month   = Profile{Window: Window{For: 30 * day}}
	forever = Profile{Window: Window{Forever: true}}
	reopens = Profile{Window: Window{For: 30 * day}, WindowReopenAny: true}
	opens   = Reply{ReplyOpen, "window"}
)

func payload(d time.Duration) Stamp { return Stamp{noon.Add(d), TierPayload, "requestedAt"} }
func message(d time.Duration) Stamp { return Stamp{noon.Add(d), TierMessage, "sns"} }
func hop(d time.Duration) Stamp     { return Stamp{noon.Add(d), TierHop, "sqs"} }
func fingerprint(c *Call)           { c.Fingerprint = "f" }

func first(changes ...func(*Call)) Call        { return at(Placed, append(changes, fingerprint)...) }
func top(s State, changes ...func(*Call)) Call { return at(s, append(changes, fingerprint)...) }

func placedBefore(d time.Duration) func(*Call) {
	return func(c *Call) { c.PlacedThrough = noon.Add(d) }
}

func canceledBefore(d time.Duration) func(*Call) {
	return func(c *Call) { c.CanceledBefore = noon.Add(d) }
}

func suppressed(reason string) Reply { return Reply{ReplySuppress, reason} }

func replies(t *testing.T, cases []replyCase) {
	t.Helper()
	for _, tc := range cases {
		if tc.want.Kind == ReplyConflict {
			tc.first.Fingerprint = "g"
		}
		got := ReplyTo(tc.first, tc.top, Asked{Fingerprint: "f", Stamp: tc.stamp, ReceivedAt: noon.Add(tc.received)}, tc.p)
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestAPlacedCallSuppressesUntilItsWindowEnds(t *testing.T) {
	t.Parallel()
	replies(t, []replyCase{
		{"duplicate inside the window", first(), top(Placed), payload(-time.Minute), time.Hour, month, suppressed(ReasonDuplicate)},
		{"a later request inside the window", first(), top(Placed), payload(29 * day), 29 * day, month, suppressed(ReasonDuplicate)},
		{"requested exactly at the window's end", first(), top(Placed), payload(30 * day), 31 * day, month, suppressed(ReasonLateRedelivery)},
		{"requested after the window (payload)", first(), top(Placed), payload(30*day + 1), 31 * day, month, opens},
		{"requested after the window (message)", first(), top(Placed), message(30*day + 1), 31 * day, month, opens},
		{"a window shorter than the token", first(), top(Placed), payload(day + 1), 2 * day, short, opens},
		{"late redelivery of the old request (R7)", first(), top(Placed), payload(-time.Minute), 400 * day, month, suppressed(ReasonLateRedelivery)},
		{"undated after the window (R5)", first(), top(Placed), Stamp{Tier: TierNone}, 31 * day, month, suppressed(ReasonLateRedelivery)},
		{"a hop's time after the window", first(), top(Placed), hop(31 * day), 31 * day, month, suppressed(ReasonLateRedelivery)},
		{"undated, window_reopen any", first(), top(Placed), Stamp{Tier: TierNone}, 31 * day, reopens, opens},
		{"undated, window_reopen any, inside the window", first(), top(Placed), Stamp{Tier: TierNone}, day, reopens, suppressed(ReasonDuplicate)},
		{"undated, window_reopen any, canceled once (R26)", first(canceledBefore(0)), top(Placed), Stamp{Tier: TierNone}, 31 * day, reopens, suppressed(ReasonLateRedelivery)},
		{"forever", first(), top(Placed), payload(4000 * day), 4000 * day, forever, suppressed(ReasonDuplicate)},
		{"the window runs from the last ring, not from its request (R15)", first(), top(Placed, func(c *Call) { c.PlacedAt, c.RequestedAt = noon.Add(10*day), noon }), payload(31 * day), 31 * day, month, suppressed(ReasonDuplicate)},
		{"after the window, before a cancel", first(canceledBefore(40 * day)), top(Placed), payload(35 * day), 41 * day, month, suppressed(ReasonLateRedelivery)},
	})
}

func TestAnUnfinishedOrDoubtfulRingSuppressesEverything(t *testing.T) {
	t.Parallel()
	replies(t, []replyCase{
		{"received", first(), top(Received), payload(60 * day), 60 * day, month, suppressed(ReasonInProgress)},
		{"dialing (R16)", first(), top(Dialing), payload(60 * day), 60 * day, month, suppressed(ReasonInProgress)},
		{"in doubt", first(), top(InDoubt), payload(60 * day), 60 * day, month, suppressed(ReasonInDoubt)},
	})
}

func TestAFailureAnswersUntilALaterTrustedRequest(t *testing.T) {
	t.Parallel()
	replies(t, []replyCase{
		{"failed, the same request", first(), top(Failed), payload(-time.Minute), time.Hour, month, suppressed(ReasonFailed)},
		{"failed, requested at that instant", first(), top(Failed), payload(0), time.Hour, month, suppressed(ReasonFailed)},
		{"failed, requested later", first(), top(Failed), payload(1), time.Hour, month, opens},
		{"failed, undated", first(), top(Failed), Stamp{Tier: TierNone}, time.Hour, month, suppressed(ReasonFailed)},
		{"failed, undated, window_reopen any", first(), top(Failed), Stamp{Tier: TierNone}, time.Hour, reopens, suppressed(ReasonFailed)},
		{"failed, an earlier ring's window runs (R18)", first(placedBefore(-day)), top(Failed), payload(day), day, month, suppressed(ReasonFailed)},
		{"failed, an earlier ring's window is over", first(placedBefore(-31 * day)), top(Failed), payload(1), day, month, opens},
		{"failed, an earlier ring suppresses for ever", first(placedBefore(-31 * day)), top(Failed), payload(1), day, forever, suppressed(ReasonFailed)},
		{"failed, nothing was ever placed", first(), top(Failed), payload(1), day, forever, opens},
		{"expired, requested later", first(), top(Expired), payload(1), time.Hour, month, opens},
		{"expired, the same request", first(), top(Expired), payload(-1), time.Hour, month, suppressed(ReasonExpired)},
	})
}

func TestACancelAnswersUntilALaterTrustedRequest(t *testing.T) {
	t.Parallel()
	replies(t, []replyCase{
		{"canceled, requested before", first(canceledBefore(0)), top(Canceled), payload(-1), time.Hour, month, suppressed(ReasonCanceled)},
		{"canceled, requested at that time", first(canceledBefore(0)), top(Canceled), payload(0), time.Hour, month, suppressed(ReasonCanceled)},
		{"canceled, requested later", first(canceledBefore(0)), top(Canceled), payload(1), time.Hour, month, opens},
		{"canceled late, requested after the cancel's time", first(canceledBefore(-time.Hour)), top(Canceled), payload(-time.Minute), time.Hour, month, opens},
		{"canceled, undated", first(canceledBefore(0)), top(Canceled), Stamp{Tier: TierNone}, time.Hour, reopens, suppressed(ReasonCanceled)},
	})
}

func TestATombstoneTakesABodyAndAnotherFingerprintIsAConflict(t *testing.T) {
	t.Parallel()
	replies(t, []replyCase{
		{"tombstone", first(func(c *Call) { c.Tombstone = true }), top(Canceled), payload(1), time.Hour, month, Reply{ReplyAttach, ReasonCanceled}},
		{"another fingerprint (N21)", first(), top(Placed), payload(60 * day), 60 * day, month, Reply{ReplyConflict, "conflict"}},
	})
}
