package connectemu_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

type (
	chatInput = connect.StartChatContactInput
	taskInput = connect.StartTaskContactInput
)

// unhurried switches the rates of chats and tasks off.
func unhurried(c *connectemu.Config) {
	unpaced(c)
	c.Chats.Rate, c.Tasks.Rate = connectemu.Unlimited, connectemu.Unlimited
}

// chat starts a valid chat with the changes, and task a task; both return the contact id.
func (w *world) chat(token string, changes ...func(*chatInput)) (string, error) {
	w.t.Helper()
	in := &chatInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowId: aws.String(flowID), ClientToken: aws.String(token),
		ParticipantDetails: &types.ParticipantDetails{DisplayName: aws.String("Anna")},
	}
	for _, change := range changes {
		change(in)
	}
	out, err := w.client.StartChatContact(w.t.Context(), in)
	if err != nil {
		return "", err
	}
	if aws.ToString(out.ParticipantId) == "" || aws.ToString(out.ParticipantToken) == "" {
		w.t.Errorf("the chat has no participant: %+v", out)
	}
	return aws.ToString(out.ContactId), nil
}

func (w *world) task(token string, changes ...func(*taskInput)) (string, error) {
	w.t.Helper()
	in := &taskInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowId: aws.String(flowID), ClientToken: aws.String(token), Name: aws.String("Call back"),
	}
	for _, change := range changes {
		change(in)
	}
	out, err := w.client.StartTaskContact(w.t.Context(), in)
	if err != nil {
		return "", err
	}
	return aws.ToString(out.ContactId), nil
}

// both runs a test for chats and for tasks.
func both(t *testing.T, run func(t *testing.T, channel connectemu.Channel, start func(*world, string) (string, error))) {
	t.Helper()
	t.Run("chat", func(t *testing.T) {
		t.Parallel()
		run(t, connectemu.ChannelChat, func(w *world, token string) (string, error) { return w.chat(token) })
	})
	t.Run("task", func(t *testing.T) {
		t.Parallel()
		run(t, connectemu.ChannelTask, func(w *world, token string) (string, error) { return w.task(token) })
	})
}

func (w *world) wantContacts(channel connectemu.Channel, n int) {
	w.t.Helper()
	if got := len(w.server.ContactsOf(channel)); got != n {
		w.t.Errorf("%d contacts of %s, want %d", got, channel, n)
	}
}

func TestAChatAndATaskAreContactsThatRingNoPhone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, channel connectemu.Channel, start func(*world, string) (string, error)) {
		w := newWorld(t, unhurried)
		id, err := start(w, "a")
		if err != nil {
			t.Fatal(err)
		}
		again, err := start(w, "a")
		if err != nil || again != id {
			t.Errorf("the same token: %s, %v, want %s", again, err, id)
		}
		w.wantContacts(channel, 1)
		w.wantRings(0)
		described, err := w.describe(id)
		if err != nil || string(described.Channel) != string(channel) || described.InitiationMethod != types.ContactInitiationMethodApi || described.CustomerEndpoint != nil {
			t.Errorf("described: %+v, %v", described, err)
		}
		if _, err := w.client.StopContact(t.Context(), &connect.StopContactInput{InstanceId: aws.String(connectemu.DefaultInstance), ContactId: &id}); err != nil {
			t.Errorf("stop: %v", err)
		}
		if c, _ := w.server.Contact(id); c.State != connectemu.StateDisconnected || c.Channel != channel {
			t.Errorf("stopped: %+v", c)
		}
	})
}

func TestTokensOfAnOperationAreApartUnlessTheyAreShared(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		w := newWorld(t, unhurried, func(c *connectemu.Config) { c.TokensShared = shared })
		call := w.mustStart(answers, "a")
		chat, err := w.chat("a")
		if err != nil || (chat == call) != shared {
			t.Errorf("shared %t: the chat is %s, %v, the call %s", shared, chat, err, call)
		}
		task, err := w.task("a")
		if err != nil || (task == call) != shared || (task == chat) != shared {
			t.Errorf("shared %t: the task is %s, %v", shared, task, err)
		}
	}
}

func TestHowLongATokenIsHonoredIsASwitch(t *testing.T) {
	t.Parallel()
	for _, validity := range []time.Duration{0, time.Hour, connectemu.Off} {
		both(t, func(t *testing.T, channel connectemu.Channel, start func(*world, string) (string, error)) {
			w := newWorld(t, unhurried, func(c *connectemu.Config) { c.Chats.TokenValidity, c.Tasks.TokenValidity = validity, validity })
			for _, at := range []time.Duration{0, time.Minute, time.Hour, 6 * 24 * time.Hour} {
				w.clock.Set(epoch.Add(at))
				if _, err := start(w, "a"); err != nil {
					t.Fatal(err)
				}
			}
			w.wantContacts(channel, map[time.Duration]int{0: 1, time.Hour: 3, connectemu.Off: 4}[validity])
		})
	}
}

func TestAnotherReadingEndsTheTokenWithItsContact(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, channel connectemu.Channel, start func(*world, string) (string, error)) {
		w := newWorld(t, unhurried, func(c *connectemu.Config) {
			c.Reading, c.Chats.Lasts, c.Tasks.Lasts = connectemu.A1Prime, time.Hour, time.Hour
		})
		for _, at := range []time.Duration{0, 59 * time.Minute, time.Hour} {
			w.clock.Set(epoch.Add(at))
			if _, err := start(w, "a"); err != nil {
				t.Fatal(err)
			}
		}
		w.wantContacts(channel, 2)
	})
}

func TestRatesAndQuotasOfChatsAndTasks(t *testing.T) {
	t.Parallel()
	for channel, limits := range map[connectemu.Channel]struct {
		burst           int
		rate, quota     string
		rateOf, quotaOf int
	}{
		connectemu.ChannelChat: {8, connectemu.CodeTooManyRequests, connectemu.CodeLimitExceeded, http.StatusTooManyRequests, http.StatusTooManyRequests},
		connectemu.ChannelTask: {5, connectemu.CodeThrottling, connectemu.CodeServiceQuotaExceeded, http.StatusTooManyRequests, http.StatusPaymentRequired},
	} {
		start := func(w *world, n int) error {
			token := fmt.Sprint("token-", n)
			if channel == connectemu.ChannelChat {
				_, err := w.chat(token)
				return err
			}
			_, err := w.task(token)
			return err
		}
		w := newWorld(t)
		for n := range limits.burst {
			if err := start(w, n); err != nil {
				t.Fatalf("%s %d: %v", channel, n, err)
			}
		}
		wantCode(t, start(w, limits.burst), limits.rate, limits.rateOf)
		if _, err := w.start(answers, "a"); err != nil {
			t.Errorf("%s uses the bucket of calls: %v", channel, err)
		}
		w = newWorld(t, unhurried, func(c *connectemu.Config) {
			c.Chats.MaxActive, c.Tasks.MaxActive, c.Chats.Lasts, c.Tasks.Lasts, c.MaxConcurrentCalls = 1, 1, time.Hour, time.Hour, 1
		})
		w.mustStart(answers, "a")
		if err := start(w, 1); err != nil {
			t.Errorf("%s counts calls: %v", channel, err)
		}
		wantCode(t, start(w, 2), limits.quota, limits.quotaOf)
		w.clock.Advance(time.Hour)
		if err := start(w, 2); err != nil {
			t.Errorf("%s that has ended still counts: %v", channel, err)
		}
	}
}

func TestDocumentedLimitsOfAChat(t *testing.T) {
	t.Parallel()
	message := func(kind string, n int) func(*chatInput) {
		return func(in *chatInput) {
			in.InitialMessage = &types.ChatMessage{ContentType: &kind, Content: long(n)}
		}
	}
	w := newWorld(t, unhurried)
	for name, test := range map[string]struct {
		change func(*chatInput)
		good   bool
	}{
		"the longest name":         {func(in *chatInput) { in.ParticipantDetails.DisplayName = long(256) }, true},
		"a longer name":            {func(in *chatInput) { in.ParticipantDetails.DisplayName = long(257) }, false},
		"no name":                  {func(in *chatInput) { in.ParticipantDetails.DisplayName = aws.String("") }, false},
		"the longest message":      {message("text/plain", 1024), true},
		"a longer message":         {message("text/plain", 1025), false},
		"the longest JSON":         {message("application/json", 12_000), true},
		"a longer JSON":            {message("application/json", 12_001), false},
		"an unknown message":       {message("text/html", 1), false},
		"an hour":                  {func(in *chatInput) { in.ChatDurationInMinutes = aws.Int32(60) }, true},
		"less than an hour":        {func(in *chatInput) { in.ChatDurationInMinutes = aws.Int32(59) }, false},
		"more than a week":         {func(in *chatInput) { in.ChatDurationInMinutes = aws.Int32(10_081) }, false},
		"types without plain text": {func(in *chatInput) { in.SupportedMessagingContentTypes = []string{"text/markdown"} }, false},
		"related and persistent": {func(in *chatInput) {
			in.RelatedContactId, in.PersistentChat = aws.String("x"), &types.PersistentChat{RehydrationType: types.RehydrationTypeFromSegment}
		}, false},
		"an ARN as flow":      {func(in *chatInput) { in.ContactFlowId = aws.String("arn:aws:connect:flow/" + flowID) }, false},
		"a long token":        {func(in *chatInput) { in.ClientToken = long(501) }, false},
		"full attributes":     {func(in *chatInput) { in.Attributes = map[string]string{"a": strings.Repeat("x", 32_767)} }, true},
		"too many":            {func(in *chatInput) { in.Attributes = map[string]string{"ab": strings.Repeat("x", 32_767)} }, false},
		"an attribute's name": {func(in *chatInput) { in.Attributes = map[string]string{"a b": ""} }, false},
	} {
		if _, err := w.chat(name, test.change); (err == nil) != test.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.chat("n", func(in *chatInput) { in.InstanceId = aws.String("99999999-2222-4333-8444-555555555555") })
	wantCode(t, err, connectemu.CodeNotFound, http.StatusNotFound)
}

func TestDocumentedLimitsOfATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unhurried)
	for name, test := range map[string]struct {
		change func(*taskInput)
		good   bool
	}{
		"the longest name":        {func(in *taskInput) { in.Name = long(1024) }, true},
		"a longer name":           {func(in *taskInput) { in.Name = long(1025) }, false},
		"an empty name":           {func(in *taskInput) { in.Name = aws.String("") }, true},
		"the longest description": {func(in *taskInput) { in.Description = long(4096) }, true},
		"a longer description":    {func(in *taskInput) { in.Description = long(4097) }, false},
		"no flow":                 {func(in *taskInput) { in.ContactFlowId = nil }, false},
		"a quick connect":         {func(in *taskInput) { in.ContactFlowId, in.QuickConnectId = nil, aws.String(queueID) }, true},
		"a flow and a template":   {func(in *taskInput) { in.TaskTemplateId = aws.String(queueID) }, false},
		"a long template":         {func(in *taskInput) { in.ContactFlowId, in.TaskTemplateId = nil, long(501) }, false},
		"in the past":             {func(in *taskInput) { in.ScheduledTime = aws.Time(epoch.Add(-time.Second)) }, false},
		"in six days":             {func(in *taskInput) { in.ScheduledTime = aws.Time(epoch.Add(6 * 24 * time.Hour)) }, true},
		"in more than six days":   {func(in *taskInput) { in.ScheduledTime = aws.Time(epoch.Add(6*24*time.Hour + time.Second)) }, false},
		"six attachments":         {func(in *taskInput) { in.Attachments = make6() }, false},
		"a reference": {func(in *taskInput) {
			in.References = map[string]types.Reference{"a": {Type: types.ReferenceTypeUrl, Value: aws.String("u")}}
		}, true},
		"a reference of a file": {func(in *taskInput) {
			in.References = map[string]types.Reference{"a": {Type: types.ReferenceTypeAttachment}}
		}, false},
		"references over 4096": {func(in *taskInput) {
			in.References = map[string]types.Reference{"a": {Type: types.ReferenceTypeUrl, Value: aws.String(strings.Repeat("x", 4096))}}
		}, false},
		"an unknown previous task": {func(in *taskInput) { in.PreviousContactId = aws.String("nobody") }, false},
	} {
		if _, err := w.task(name, test.change); (err == nil) != test.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func make6() []types.TaskAttachment {
	all := make([]types.TaskAttachment, 6)
	for i := range all {
		all[i] = types.TaskAttachment{FileName: aws.String("f"), S3Url: aws.String("u")}
	}
	return all
}

func TestATaskFollowsAnotherTwelveTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unhurried)
	first, err := w.task("first")
	if err != nil {
		t.Fatal(err)
	}
	follow := func(n int) error {
		_, err := w.task(fmt.Sprint("n", n), func(in *taskInput) { in.PreviousContactId = &first })
		return err
	}
	for n := range 12 {
		if err := follow(n); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
	}
	wantCode(t, follow(12), connectemu.CodeServiceQuotaExceeded, http.StatusPaymentRequired)
}

func TestATaskEndsWhenItExpiresAndIsFoundByItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unhurried, func(c *connectemu.Config) { c.SearchSeesOnlyCompleted = true })
	id, err := w.task("a", func(in *taskInput) {
		in.Name = aws.String("ringonce-7")
		in.SegmentAttributes = map[string]types.SegmentAttributeValue{
			"connect:ContactExpiry": {ValueMap: map[string]types.SegmentAttributeValue{"ExpiryDuration": {ValueInteger: aws.Int32(135)}}},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.chat("b"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		at    time.Duration
		found int
	}{{134 * time.Minute, 0}, {135 * time.Minute, 1}} {
		w.clock.Set(epoch.Add(step.at))
		out, err := w.client.SearchContacts(t.Context(), &connect.SearchContactsInput{
			InstanceId: aws.String(connectemu.DefaultInstance),
			TimeRange:  &types.SearchContactsTimeRange{Type: types.SearchContactsTimeRangeTypeInitiationTimestamp, StartTime: aws.Time(epoch), EndTime: aws.Time(epoch.Add(time.Hour))},
			SearchCriteria: &types.SearchCriteria{
				Channels: []types.Channel{types.ChannelTask},
				Name:     &types.NameCriteria{SearchText: []string{"ringonce-7"}, MatchType: types.SearchContactsMatchTypeMatchExact},
			},
		})
		if err != nil || len(out.Contacts) != step.found || step.found == 1 && *out.Contacts[0].Id != id {
			t.Errorf("after %s: %v, %v", step.at, out, err)
		}
	}
}

func TestAFaultOfOneOperationLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	plan, err := connectemu.ParsePlan("place-then-500 op=StartTaskContact nth=1; refuse(AccessDeniedException) op=StartChatContact")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, unhurried, func(c *connectemu.Config) { c.Faults = plan })
	w.mustStart(answers, "a")
	_, err = w.chat("a")
	wantCode(t, err, connectemu.CodeAccessDenied, http.StatusForbidden)
	_, err = w.task("a")
	wantCode(t, err, connectemu.CodeInternal, http.StatusInternalServerError)
	if _, err := w.task("a"); err != nil {
		t.Error(err)
	}
	w.wantContacts(connectemu.ChannelTask, 1)
	w.wantContacts(connectemu.ChannelChat, 0)
}

func TestAChatAndATaskTellTheirEvents(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, channel connectemu.Channel, start func(*world, string) (string, error)) {
		w := newWorld(t, unhurried, func(c *connectemu.Config) { c.Chats.Lasts, c.Tasks.Lasts = time.Hour, time.Hour })
		id, err := start(w, "a")
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Hour)
		events := w.server.TakeEvents()
		if got := kinds(events); got != "INITIATED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" {
			t.Errorf("told %s", got)
		}
		for _, e := range events {
			if e.ContactID != id || !containsAll(string(e.Document), `"channel":"`+string(channel)+`"`, `"initiationMethod":"API"`) {
				t.Errorf("%s", e.Document)
			}
		}
	})
}
