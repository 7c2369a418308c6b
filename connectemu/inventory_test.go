package connectemu_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/connectemu"
)

const (
	draftID    = "dddddddd-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	archivedID = "acacacac-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	silentID   = "55555555-8888-4777-8666-555555555555"
	unfinished = "22222222-2222-4333-8444-555555555555"
	incoming   = "33333333-2222-4333-8444-555555555555"
	nowhere    = "eeeeeeee-2222-4333-8444-555555555555"
)

// furnished is an instance in which things exist, in every state they can have.
func furnished(c *connectemu.Config) {
	unpaced(c)
	c.LookupRate = connectemu.Unlimited
	c.Instances, c.Creating, c.OutboundOff = []string{connectemu.DefaultInstance, incoming}, []string{unfinished}, []string{incoming}
	c.Flows, c.Drafts, c.Archived = []string{flowID}, []string{draftID}, []string{archivedID}
	c.Queues, c.Anonymous = []string{queueID}, []string{silentID}
	c.SourceNumbers = []string{"+12025550100", "+12025550101", "+819000000001"}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return "no API error: " + err.Error()
}

func TestAnInstanceIsDescribedWithItsState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	for id, want := range map[string]string{
		connectemu.DefaultInstance: "ACTIVE true", incoming: "ACTIVE false", unfinished: "CREATION_IN_PROGRESS true", nowhere: connectemu.CodeNotFound,
	} {
		out, err := w.client.DescribeInstance(t.Context(), &connect.DescribeInstanceInput{InstanceId: &id})
		got := codeOf(err)
		if err == nil {
			got = fmt.Sprint(out.Instance.InstanceStatus, " ", aws.ToBool(out.Instance.OutboundCallsEnabled))
			if aws.ToString(out.Instance.Id) != id || aws.ToString(out.Instance.Arn) != "arn:aws:connect:us-east-1:111122223333:instance/"+id {
				t.Errorf("%s: described as %s, %s", id, aws.ToString(out.Instance.Id), aws.ToString(out.Instance.Arn))
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestAFlowIsDescribedOnceItIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	for _, c := range []struct{ instance, flow, want string }{
		{connectemu.DefaultInstance, flowID, "ACTIVE PUBLISHED"},
		{connectemu.DefaultInstance, archivedID, "ARCHIVED PUBLISHED"},
		{connectemu.DefaultInstance, draftID, connectemu.CodeFlowNotPublished},
		{connectemu.DefaultInstance, nowhere, connectemu.CodeNotFound},
		{connectemu.DefaultInstance, "no-guid", connectemu.CodeInvalidParameter},
		{nowhere, flowID, connectemu.CodeNotFound},
		{unfinished, flowID, connectemu.CodeNotFound},
	} {
		out, err := w.client.DescribeContactFlow(t.Context(), &connect.DescribeContactFlowInput{InstanceId: &c.instance, ContactFlowId: &c.flow})
		got := codeOf(err)
		if err == nil {
			got = fmt.Sprint(out.ContactFlow.State, " ", out.ContactFlow.Status)
		}
		if got != c.want {
			t.Errorf("flow %s of %s: %s, want %s", c.flow, c.instance, got, c.want)
		}
	}
}

func TestAQueueIsDescribedWithItsCallerID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	for id, want := range map[string]string{queueID: "ENABLED true", silentID: "ENABLED false", nowhere: connectemu.CodeNotFound} {
		out, err := w.client.DescribeQueue(t.Context(), &connect.DescribeQueueInput{InstanceId: aws.String(connectemu.DefaultInstance), QueueId: &id})
		got := codeOf(err)
		if err == nil {
			got = fmt.Sprint(out.Queue.Status, " ", out.Queue.OutboundCallerConfig != nil && out.Queue.OutboundCallerConfig.OutboundCallerIdNumberId != nil)
		}
		if got != want {
			t.Errorf("queue %s: %s, want %s", id, got, want)
		}
	}
}

func TestClaimedNumbersAreListedPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	var got []string
	pages := 0
	for next := (*string)(nil); pages == 0 || next != nil; pages++ {
		out, err := w.client.ListPhoneNumbersV2(t.Context(), &connect.ListPhoneNumbersV2Input{
			InstanceId: aws.String(connectemu.DefaultInstance), PhoneNumberPrefix: aws.String("+1"), MaxResults: aws.Int32(1), NextToken: next,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range out.ListPhoneNumbersSummaryList {
			got = append(got, fmt.Sprint(*n.PhoneNumber, " ", n.PhoneNumberCountryCode))
		}
		next = out.NextToken
	}
	if fmt.Sprint(got) != "[+12025550100 US +12025550101 US]" || pages != 2 {
		t.Errorf("%d pages: %q", pages, got)
	}
	for name, in := range map[string]connect.ListPhoneNumbersV2Input{
		connectemu.CodeNotFound:         {InstanceId: aws.String(nowhere)},
		connectemu.CodeInvalidParameter: {PhoneNumberPrefix: aws.String("1202")},
	} {
		if _, err := w.client.ListPhoneNumbersV2(t.Context(), &in); codeOf(err) != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	free := newWorld(t)
	out, err := free.client.ListPhoneNumbersV2(t.Context(), &connect.ListPhoneNumbersV2Input{
		PhoneNumberPrefix: aws.String(answers), PhoneNumberCountryCodes: []types.PhoneNumberCountryCode{types.PhoneNumberCountryCodeJp},
	})
	if err != nil || len(out.ListPhoneNumbersSummaryList) != 1 {
		t.Errorf("without a list of numbers: %v, %v", out, err)
	}
}

// TestNoStartUsesWhatIsNotInUse keeps the two sides of the emulator together: what is described as unusable starts no call.
func TestNoStartUsesWhatIsNotInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	number := "+12025550100"
	for _, c := range []struct{ instance, flow, queue, source, want string }{
		{connectemu.DefaultInstance, flowID, queueID, "", ""},
		{connectemu.DefaultInstance, flowID, silentID, number, ""},
		{connectemu.DefaultInstance, flowID, silentID, "", connectemu.CodeInvalidRequest},
		{connectemu.DefaultInstance, draftID, queueID, "", connectemu.CodeNotFound},
		{connectemu.DefaultInstance, archivedID, queueID, "", connectemu.CodeNotFound},
		{incoming, flowID, queueID, "", connectemu.CodeNotPermitted},
		{unfinished, flowID, queueID, "", connectemu.CodeNotFound},
	} {
		in := connect.StartOutboundVoiceContactInput{
			InstanceId: &c.instance, ContactFlowId: &c.flow, QueueId: &c.queue, DestinationPhoneNumber: aws.String(answers),
		}
		if c.source != "" {
			in.SourcePhoneNumber = &c.source
		}
		if _, err := w.client.StartOutboundVoiceContact(t.Context(), &in); codeOf(err) != c.want {
			t.Errorf("start with %+v: %v", c, err)
		}
	}
	if got := w.server.RingCount(); got != 2 {
		t.Errorf("%d rings, want 2", got)
	}
}

func TestLookupsHaveARateOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := &connect.DescribeInstanceInput{InstanceId: aws.String(connectemu.DefaultInstance)}
	for n := range 6 {
		_, err := w.client.DescribeInstance(t.Context(), in, func(o *connect.Options) { o.Retryer = aws.NopRetryer{} })
		if got, want := codeOf(err), map[bool]string{true: connectemu.CodeThrottling}[n == 5]; got != want {
			t.Errorf("request %d: %q, want %q", n, got, want)
		}
	}
}
