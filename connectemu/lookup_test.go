package connectemu_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

func (w *world) describe(id string) (*types.Contact, error) {
	out, err := w.client.DescribeContact(w.t.Context(), &connect.DescribeContactInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id),
	})
	if err != nil {
		return nil, err
	}
	return out.Contact, nil
}

// search looks at the hour around the beginning of the test; change may alter the request.
func (w *world) search(change func(*connect.SearchContactsInput)) (*connect.SearchContactsOutput, error) {
	in := &connect.SearchContactsInput{
		InstanceId: aws.String(connectemu.DefaultInstance),
		TimeRange: &types.SearchContactsTimeRange{
			Type:      types.SearchContactsTimeRangeTypeInitiationTimestamp,
			StartTime: aws.Time(epoch.Add(-time.Hour)), EndTime: aws.Time(epoch.Add(time.Hour)),
		},
	}
	if change != nil {
		change(in)
	}
	return w.client.SearchContacts(w.t.Context(), in)
}

func TestFatesDecideTheLifeOfAContact(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]struct {
		connects bool
		lasts    time.Duration
		reason   string
	}{
		answers:         {true, 38 * time.Second, "CUSTOMER_DISCONNECT"},
		"+12025550190":  {false, 2 * time.Second, "TELECOM_BUSY"},
		"+12025550191":  {false, 60 * time.Second, "TELECOM_ORIGINATOR_CANCEL"},
		"+447700900092": {false, 60 * time.Second, "TELECOM_TIMEOUT"},
		"+447700900193": {false, 5 * time.Second, "TELECOM_UNANSWERED"},
		"+819000000994": {false, time.Second, "TELECOM_NUMBER_INVALID"},
		"+819000000995": {false, 2 * time.Second, "TELECOM_PROBLEM"},
		"+819000000996": {false, 3 * time.Second, "TELECOM_POTENTIAL_BLOCKING"},
		"+819000000997": {true, 38 * time.Second, "CONTACT_FLOW_DISCONNECT"},
	} {
		t.Run(want.reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.mustStart(number, "token")
			w.clock.Advance(want.lasts - time.Millisecond)
			contact, err := w.describe(id)
			if err != nil {
				t.Fatalf("describe: %v", err)
			}
			if contact.DisconnectTimestamp != nil || contact.DisconnectReason != nil {
				t.Errorf("ended too early: %v", aws.ToTime(contact.DisconnectTimestamp))
			}
			if got := contact.ConnectedToSystemTimestamp != nil; got != want.connects {
				t.Errorf("connected: got %t, want %t", got, want.connects)
			}
			w.clock.Advance(time.Millisecond)
			if contact, err = w.describe(id); err != nil {
				t.Fatalf("describe: %v", err)
			}
			if got := aws.ToString(contact.DisconnectReason); got != want.reason {
				t.Errorf("reason: got %q, want %q", got, want.reason)
			}
			if got := aws.ToTime(contact.DisconnectTimestamp); !got.Equal(epoch.Add(want.lasts)) {
				t.Errorf("disconnected at %v, want %v", got, epoch.Add(want.lasts))
			}
			w.wantRings(1)
		})
	}
}

func TestRefusedDestinationsDoNotRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.start("+819000000098", "a")
	wantCode(t, err, connectemu.CodeNotAllowed, http.StatusForbidden)
	if _, ok := errors.AsType[*types.DestinationNotAllowedException](err); !ok {
		t.Errorf("the SDK did not recognize %v", err)
	}
	_, err = w.start("+819000000099", "b")
	wantCode(t, err, connectemu.CodeNotPermitted, http.StatusForbidden)
	if err := w.server.SetPhone("+819000000099", connectemu.FateAnswers); err != nil {
		t.Fatal(err)
	}
	w.mustStart("+819000000099", "b")
	w.wantRings(1)
}

func TestShortRingTimeoutEndsBeforeAnybodyAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.RingTime = 20 * time.Second })
	in := input(answers)
	in.RingTimeoutInSeconds = aws.Int32(15)
	out, err := w.client.StartOutboundVoiceContact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(15 * time.Second)
	contact, err := w.describe(aws.ToString(out.ContactId))
	if err != nil {
		t.Fatal(err)
	}
	if got := aws.ToString(contact.DisconnectReason); got != "TELECOM_ORIGINATOR_CANCEL" {
		t.Errorf("reason: got %q", got)
	}
}

func TestDescribeShowsWhatWasAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(answers)
	in.SourcePhoneNumber, in.Name, in.Description = aws.String("+12025550100"), aws.String("name"), aws.String("description")
	in.Attributes = map[string]string{"language": "ja-JP"}
	w.clock.Advance(123 * time.Millisecond)
	out, err := w.client.StartOutboundVoiceContact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.describe(aws.ToString(out.ContactId))
	if err != nil {
		t.Fatal(err)
	}
	if !aws.ToTime(c.InitiationTimestamp).Equal(epoch.Add(123 * time.Millisecond)) {
		t.Errorf("initiated at %v", aws.ToTime(c.InitiationTimestamp))
	}
	if c.InitiationMethod != types.ContactInitiationMethodApi || c.Channel != types.ChannelVoice {
		t.Errorf("method %s, channel %s", c.InitiationMethod, c.Channel)
	}
	if c.Attributes["language"] != "ja-JP" || aws.ToString(c.Name) != "name" || aws.ToString(c.Description) != "description" {
		t.Errorf("attributes %v, name %q, description %q", c.Attributes, aws.ToString(c.Name), aws.ToString(c.Description))
	}
	if aws.ToString(c.CustomerEndpoint.Address) != answers || aws.ToString(c.SystemEndpoint.Address) != "+12025550100" {
		t.Errorf("endpoints %v %v", c.CustomerEndpoint, c.SystemEndpoint)
	}
	if aws.ToString(c.QueueInfo.Id) != queueID || c.Tags["aws:connect:instanceId"] != connectemu.DefaultInstance {
		t.Errorf("queue %v, tags %v", c.QueueInfo, c.Tags)
	}
}

func TestDescribeFindsContactsFor24Months(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.mustStart(answers, "token")
	w.clock.Advance(connectemu.DefaultRetention)
	if _, err := w.describe(id); err != nil {
		t.Errorf("inside the retention: %v", err)
	}
	w.clock.Advance(time.Second)
	_, err := w.describe(id)
	wantCode(t, err, connectemu.CodeNotFound, http.StatusNotFound)
	_, err = w.describe(queueID)
	wantCode(t, err, connectemu.CodeNotFound, http.StatusNotFound)
}

func TestContactsBelongToTheirInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.Instances = []string{connectemu.DefaultInstance, queueID} })
	id := w.mustStart(answers, "token")
	_, err := w.client.DescribeContact(t.Context(), &connect.DescribeContactInput{InstanceId: aws.String(queueID), ContactId: aws.String(id)})
	wantCode(t, err, connectemu.CodeNotFound, http.StatusNotFound)
	_, err = w.client.StopContact(t.Context(), &connect.StopContactInput{InstanceId: aws.String(queueID), ContactId: aws.String(id)})
	wantCode(t, err, connectemu.CodeContactNotFound, http.StatusGone)
	out, err := w.search(func(in *connect.SearchContactsInput) { in.InstanceId = aws.String(queueID) })
	if err != nil || len(out.Contacts) != 0 {
		t.Errorf("search of the other instance: got %v %v, want nothing", out, err)
	}
}

func TestSearchRangeIsAsPreciseAsTheWire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.Advance(1234567 * time.Nanosecond)
	contact, err := w.describe(w.mustStart(answers, "token"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.search(func(in *connect.SearchContactsInput) {
		in.TimeRange.StartTime, in.TimeRange.EndTime = contact.InitiationTimestamp, contact.InitiationTimestamp
	})
	if err != nil || len(out.Contacts) != 1 {
		t.Errorf("search for the very moment: got %v %v, want the contact", out, err)
	}
}

func TestStopContact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := func(id string) error {
		_, err := w.client.StopContact(t.Context(), &connect.StopContactInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id),
		})
		return err
	}
	ringing := w.mustStart(answers, "a")
	if err := stop(ringing); err != nil {
		t.Fatalf("stop while ringing: %v", err)
	}
	talking := w.mustStart(answers, "b")
	w.clock.Advance(connectemu.DefaultRingTime)
	if err := stop(talking); err != nil {
		t.Fatalf("stop while talking: %v", err)
	}
	for id, want := range map[string]string{ringing: "TELECOM_ORIGINATOR_CANCEL", talking: "OTHER"} {
		contact, ok := w.server.Contact(id)
		if !ok || contact.State != connectemu.StateDisconnected || contact.DisconnectReason != want {
			t.Errorf("contact: got %+v, want reason %s", contact, want)
		}
	}
	for _, id := range []string{ringing, queueID} {
		err := stop(id)
		wantCode(t, err, connectemu.CodeContactNotFound, http.StatusGone)
		if _, ok := errors.AsType[*types.ContactNotFoundException](err); !ok {
			t.Errorf("the SDK did not recognize %v", err)
		}
	}
}
