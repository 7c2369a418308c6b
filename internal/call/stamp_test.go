package call

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestTheBestEvidenceOfAgeIsTheOldestStampOfTheStrongestTier(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		requested time.Time
		transport Stamp
		want      Stamp
	}{
		{"nothing", time.Time{}, Stamp{}, Stamp{Tier: TierNone}},
		{"payload only", noon, Stamp{}, Stamp{noon, TierPayload, "requestedAt"}},
		{"transport only", time.Time{}, Stamp{noon, TierMessage, "sns"}, Stamp{noon, TierMessage, "sns"}},
		{"a hop proves nothing more than its time", time.Time{}, Stamp{noon, TierHop, "sqs"}, Stamp{noon, TierHop, "sqs"}},
		{"payload before a hop", noon.Add(-time.Hour), Stamp{noon, TierHop, "sqs"}, Stamp{noon.Add(-time.Hour), TierPayload, "requestedAt"}},
		{"payload after the transport: the older time, the stronger tier", noon, Stamp{noon.Add(-time.Hour), TierMessage, "sns"}, Stamp{noon.Add(-time.Hour), TierPayload, "sns"}},
		{"the envelope has read the payload already", noon, Stamp{noon.Add(-time.Hour), TierPayload, "requestedAt"}, Stamp{noon.Add(-time.Hour), TierPayload, "requestedAt"}},
		{"a transport's clock in the future proves nothing", time.Time{}, Stamp{noon.Add(6 * time.Minute), TierMessage, "sns"}, Stamp{Tier: TierNone}},
	} {
		d := Delivery{Request: Request{RequestedAt: tc.requested}, FirstRequested: tc.transport, ReceivedAt: noon}
		if got := stampOf(d); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestOnlyStampsThatSurviveRedeliveryAreTrusted(t *testing.T) {
	t.Parallel()
	for tier, want := range map[Tier]bool{TierPayload: true, TierMessage: true, TierHop: false, TierNone: false, "": false} {
		if got := (Stamp{At: noon, Tier: tier}).Trusted(); got != want {
			t.Errorf("%q: trusted %v", tier, got)
		}
	}
	if (Stamp{Tier: TierPayload}).Trusted() {
		t.Error("a stamp without a time is trusted")
	}
}

func TestATimeInTheFutureIsRefusedAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	if err := checkFuture(noon.Add(5*time.Minute), noon); err != nil {
		t.Error(err)
	}
	if err := checkFuture(noon.Add(5*time.Minute+1), noon); CodeOf(err) != CodeRequestedInFuture {
		t.Error(err)
	}
}
