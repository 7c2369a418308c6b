package connectemu_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

func TestACallOverTheQuotaMayBePlacedAndHearFastBusy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) { c.MaxConcurrentCalls, c.OverQuota = 1, connectemu.QuotaFastBusy })
	w.mustStart(answers, "first")
	over := w.mustStart(answers, "second")
	w.wantRings(2)
	w.clock.Advance(time.Second)
	contact, err := w.describe(over)
	if err != nil || aws.ToString(contact.DisconnectReason) != "TELECOM_BUSY" || contact.ConnectedToSystemTimestamp != nil {
		t.Errorf("over the quota: %v, %v", contact, err)
	}
	if again := w.mustStart(answers, "second"); again != over {
		t.Error("the token of a call over the quota started another one")
	}
	w.clock.Advance(connectemu.DefaultRingTime + connectemu.DefaultTalkTime)
	in := w.mustStart(answers, "third")
	w.clock.Advance(connectemu.DefaultRingTime)
	if contact, err = w.describe(in); err != nil || contact.ConnectedToSystemTimestamp == nil {
		t.Errorf("after the first call has ended: %v, %v", contact, err)
	}
}

func TestEveryFateEndsForItsReason(t *testing.T) {
	t.Parallel()
	reasons := map[connectemu.Fate]string{
		connectemu.FateVoicemail: "CONTACT_FLOW_DISCONNECT", connectemu.FateAgentEnds: "AGENT_DISCONNECT",
		connectemu.FateThirdParty: "THIRD_PARTY_DISCONNECT", connectemu.FateBarged: "BARGED", connectemu.FateFastBusy: "TELECOM_BUSY",
		connectemu.FateOther: "OTHER", connectemu.FateNoReason: "", connectemu.FateNeverArrived: "CUSTOMER_NEVER_ARRIVED",
		connectemu.FateEndpointError: "OUTBOUND_DESTINATION_ENDPOINT_ERROR", connectemu.FateResourceError: "OUTBOUND_RESOURCE_ERROR",
		connectemu.FateAttemptFailed: "OUTBOUND_ATTEMPT_FAILED", connectemu.FatePreviewDiscarded: "OUTBUND_PREVIEW_DISCARDED",
		connectemu.FateExpired: "EXPIRED",
	}
	for _, fate := range connectemu.Fates() {
		want, ok := reasons[fate]
		if !ok {
			continue // the others are decided by numbers: TestFatesDecideTheLifeOfAContact
		}
		w := newWorld(t, func(c *connectemu.Config) { c.Phones = map[string]connectemu.Fate{answers: fate} })
		id := w.mustStart(answers, "")
		w.clock.Advance(2 * time.Minute)
		contact, err := w.describe(id)
		if err != nil || aws.ToString(contact.DisconnectReason) != want || contact.DisconnectTimestamp == nil {
			t.Errorf("%s: %v, %v, want %q", fate, contact, err, want)
		}
	}
}

func TestMachinesAreDetectedForCampaignsThatAsk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fate   connectemu.Fate
		detect bool
		want   types.AnsweringMachineDetectionStatus
	}{
		{connectemu.FateVoicemail, true, "VOICEMAIL_BEEP"},
		{connectemu.FateAnswers, true, "HUMAN_ANSWERED"},
		{connectemu.FateBusy, true, "SIT_TONE_BUSY"},
		{connectemu.FateVoicemail, false, ""},
	} {
		w := newWorld(t, func(config *connectemu.Config) {
			config.AllowCampaign, config.Phones = true, map[string]connectemu.Fate{answers: c.fate}
		})
		in := input(answers)
		in.TrafficType = types.TrafficTypeCampaign
		in.AnswerMachineDetectionConfig = &types.AnswerMachineDetectionConfig{EnableAnswerMachineDetection: c.detect}
		out, err := w.client.StartOutboundVoiceContact(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Minute)
		contact, err := w.describe(*out.ContactId)
		if err != nil || contact.AnsweringMachineDetectionStatus != c.want {
			t.Errorf("%s: %v, %v, want %q", c.fate, contact.AnsweringMachineDetectionStatus, err, c.want)
		}
	}
}

func TestAFailureOfTheServiceDoesToItsTokenWhatTheSwitchSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		effect connectemu.TokenEffect
		fault  connectemu.Fault
		again  string // the answer to the second start
		late   int    // rings after a third one, 7 days after the first
	}{
		{connectemu.TokenUntouched, connectemu.Fail500, "", 1},
		{connectemu.TokenAges, connectemu.Fail500, "", 2},
		{connectemu.TokenSpent, connectemu.Fail503, invalid, 1},
		{connectemu.TokenSpent, connectemu.Fail502, "", 1}, // a proxy in front of the service
	} {
		w := newWorld(t, func(config *connectemu.Config) { config.TokenOnFailure = c.effect })
		w.plan(connectemu.Rule{Fault: c.fault, Nth: 1})
		if _, err := w.start(answers, "token"); err == nil {
			t.Fatal("the fault did not happen")
		}
		w.clock.Advance(time.Hour)
		if _, err := w.start(answers, "token"); codeOf(err) != c.again {
			t.Errorf("%s after %s: %v, want %q", c.effect, c.fault, err, c.again)
		}
		w.clock.Advance(connectemu.DefaultTokenValidity - time.Hour)
		w.mustStart(answers, "token")
		w.wantRings(c.late)
	}
}

func TestTheValidityOfATokenMayRunFromItsLastUse(t *testing.T) {
	t.Parallel()
	for refreshes, rings := range map[bool]int{false: 2, true: 1} {
		w := newWorld(t, func(c *connectemu.Config) { c.TokenRefreshes = refreshes })
		w.mustStart(answers, "token")
		w.clock.Advance(6 * 24 * time.Hour)
		w.mustStart(answers, "token")
		w.clock.Advance(6 * 24 * time.Hour)
		w.mustStart(answers, "token")
		w.wantRings(rings)
		w.clock.Advance(connectemu.DefaultTokenValidity)
		w.mustStart(answers, "token")
		w.wantRings(rings + 1)
	}
}

func TestTheNameOfAThrottleIsASwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) {
		c.StartRate, c.ThrottleCode = connectemu.Rate{PerSecond: 1, Burst: 1}, connectemu.CodeThrottling
	})
	w.mustStart(answers, "a")
	_, err := w.start(answers, "b")
	wantCode(t, err, connectemu.CodeThrottling, 429)
	if err := w.server.Update(func(c *connectemu.Config) { c.ThrottleCode = connectemu.CodeInternal }); err == nil {
		t.Error("a failure was taken for a throttle")
	}
}
