package connectemu_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

type startInput = connect.StartOutboundVoiceContactInput

const invalid, parameter = connectemu.CodeInvalidRequest, connectemu.CodeInvalidParameter

// limitCase changes a valid start; an empty code means that it is still accepted.
type limitCase struct {
	change func(*startInput)
	code   string
}

// long is a text of n characters, each of two bytes: the limits count characters.
func long(n int) *string { return aws.String(strings.Repeat("é", n)) }

func attributes(names map[string]string) func(*startInput) {
	return func(in *startInput) { in.Attributes = names }
}

func reference(name string, r types.Reference) func(*startInput) {
	return func(in *startInput) { in.References = map[string]types.Reference{name: r} }
}

func memberLimits() map[string]limitCase {
	return map[string]limitCase{
		"plain":                      {func(*startInput) {}, ""},
		"number without plus":        {func(in *startInput) { in.DestinationPhoneNumber = aws.String("819000000001") }, parameter},
		"number with 16 digits":      {func(in *startInput) { in.DestinationPhoneNumber = aws.String("+8190000000012345") }, parameter},
		"number beginning with zero": {func(in *startInput) { in.DestinationPhoneNumber = aws.String("+0190000000") }, parameter},
		"number with letters":        {func(in *startInput) { in.DestinationPhoneNumber = aws.String("+81A0000000") }, parameter},
		"empty number":               {func(in *startInput) { in.DestinationPhoneNumber = aws.String("") }, invalid},
		"source number not E.164":    {func(in *startInput) { in.SourcePhoneNumber = aws.String("12025550100") }, parameter},
		"neither queue nor source":   {func(in *startInput) { in.QueueId = nil }, invalid},
		"source instead of queue": {func(in *startInput) {
			in.QueueId, in.SourcePhoneNumber = nil, aws.String("+12025550100")
		}, ""},
		"instance as ARN": {func(in *startInput) {
			in.InstanceId = aws.String("arn:aws:connect:us-east-1:111122223333:instance/" + connectemu.DefaultInstance)
		}, parameter},
		"flow as ARN":               {func(in *startInput) { in.ContactFlowId = aws.String("arn:aws:connect:x/" + flowID) }, parameter},
		"queue as ARN":              {func(in *startInput) { in.QueueId = aws.String("arn:aws:connect:x/" + queueID) }, parameter},
		"other instance":            {func(in *startInput) { in.InstanceId = aws.String(queueID) }, connectemu.CodeNotFound},
		"token of 500 characters":   {func(in *startInput) { in.ClientToken = long(500) }, ""},
		"token of 501 characters":   {func(in *startInput) { in.ClientToken = long(501) }, parameter},
		"name of 1024 characters":   {func(in *startInput) { in.Name = long(1024) }, ""},
		"name of 1025 characters":   {func(in *startInput) { in.Name = long(1025) }, parameter},
		"description of 4096":       {func(in *startInput) { in.Description = long(4096) }, ""},
		"description of 4097":       {func(in *startInput) { in.Description = long(4097) }, parameter},
		"related contact id of 257": {func(in *startInput) { in.RelatedContactId = long(257) }, parameter},
		"campaign id of 101":        {func(in *startInput) { in.CampaignId = long(101) }, parameter},
		"ring timeout 14":           {func(in *startInput) { in.RingTimeoutInSeconds = aws.Int32(14) }, parameter},
		"ring timeout 15":           {func(in *startInput) { in.RingTimeoutInSeconds = aws.Int32(15) }, ""},
		"ring timeout 60":           {func(in *startInput) { in.RingTimeoutInSeconds = aws.Int32(60) }, ""},
		"ring timeout 61":           {func(in *startInput) { in.RingTimeoutInSeconds = aws.Int32(61) }, parameter},
	}
}

func contentLimits() map[string]limitCase {
	return map[string]limitCase{
		"attribute name with a space": {attributes(map[string]string{"a b": "1"}), parameter},
		"attribute name in kanji":     {attributes(map[string]string{"名": "1"}), parameter},
		"attribute name empty":        {attributes(map[string]string{"": "1"}), parameter},
		"attribute names allowed":     {attributes(map[string]string{"aZ09-_": "値"}), ""},
		"attributes of 32768 bytes":   {attributes(map[string]string{"k": strings.Repeat("v", 32_767)}), ""},
		"attributes of 32769 bytes":   {attributes(map[string]string{"k": strings.Repeat("v", 32_766), "l": "v"}), parameter},
		"attribute bytes in UTF-8":    {attributes(map[string]string{"k": strings.Repeat("値", 10_923)}), parameter},
		"reference":                   {reference("r", types.Reference{Type: types.ReferenceTypeUrl, Value: aws.String("https://example.com")}), ""},
		"reference attachment":        {reference("r", types.Reference{Type: types.ReferenceTypeAttachment}), parameter},
		"reference of an unknown type": {
			reference("r", types.Reference{Type: "SONG"}), parameter,
		},
		"reference with a short ARN": {reference("r", types.Reference{Type: types.ReferenceTypeUrl, Arn: aws.String("arn")}), parameter},
		"reference with a long reason": {
			reference("r", types.Reference{Type: types.ReferenceTypeUrl, StatusReason: long(101)}), parameter,
		},
		"references of 4097 bytes": {
			reference("r", types.Reference{Type: types.ReferenceTypeString, Value: aws.String(strings.Repeat("v", 4096))}), parameter,
		},
		"traffic general":  {func(in *startInput) { in.TrafficType = types.TrafficTypeGeneral }, ""},
		"traffic campaign": {func(in *startInput) { in.TrafficType = types.TrafficTypeCampaign }, connectemu.CodeNotPermitted},
		"traffic unknown":  {func(in *startInput) { in.TrafficType = "OTHER" }, parameter},
		"machine detection without campaign": {func(in *startInput) {
			in.AnswerMachineDetectionConfig = &types.AnswerMachineDetectionConfig{EnableAnswerMachineDetection: true}
		}, invalid},
		"machine detection off": {func(in *startInput) {
			in.AnswerMachineDetectionConfig = &types.AnswerMachineDetectionConfig{}
		}, ""},
		"outbound strategy": {func(in *startInput) {
			in.OutboundStrategy = &types.OutboundStrategy{Type: types.OutboundStrategyTypeAgentFirst}
		}, connectemu.CodeAccessDenied},
	}
}

func TestDocumentedLimitsOfAStart(t *testing.T) {
	t.Parallel()
	cases := memberLimits()
	maps.Copy(cases, contentLimits())
	statuses := map[string]int{
		invalid: http.StatusBadRequest, parameter: http.StatusBadRequest, connectemu.CodeNotFound: http.StatusNotFound,
		connectemu.CodeNotPermitted: http.StatusForbidden, connectemu.CodeAccessDenied: http.StatusForbidden,
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in := input(answers)
			tc.change(in)
			_, err := w.client.StartOutboundVoiceContact(t.Context(), in)
			if tc.code == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				w.wantRings(1)
				return
			}
			wantCode(t, err, tc.code, statuses[tc.code])
			w.wantRings(0)
		})
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body, code string
		status     int
	}{
		"empty":               {"", connectemu.CodeSerialization, http.StatusBadRequest},
		"array":               {"[]", connectemu.CodeSerialization, http.StatusBadRequest},
		"number for a string": {strings.Replace(startBody, `"`+answers+`"`, "81", 1), connectemu.CodeSerialization, http.StatusBadRequest},
		"text for a number": {
			strings.Replace(startBody, "{", `{"RingTimeoutInSeconds":"15",`, 1), connectemu.CodeSerialization, http.StatusBadRequest,
		},
		"names in other case": {strings.ToLower(startBody), connectemu.CodeInvalidRequest, http.StatusBadRequest},
		"missing flow":        {strings.Replace(startBody, "ContactFlowId", "Flow", 1), connectemu.CodeInvalidRequest, http.StatusBadRequest},
		"missing instance":    {strings.Replace(startBody, "InstanceId", "Instance", 1), connectemu.CodeInvalidRequest, http.StatusBadRequest},
		"over 1 MiB":          {startBody + strings.Repeat(" ", 1<<20), connectemu.CodeRequestTooLarge, http.StatusRequestEntityTooLarge},
		"unknown member":      {strings.Replace(startBody, "{", `{"New":[1],`, 1), "", http.StatusOK},
		"null members":        {strings.Replace(startBody, "{", `{"Name":null,"Attributes":null,"ClientToken":null,`, 1), "", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			status, code, body := w.do(w.signed(http.MethodPut, "/contact/outbound-voice", tc.body, epoch))
			if status != tc.status || code != tc.code {
				t.Errorf("got %d %q %s, want %d %q", status, code, body, tc.status, tc.code)
			}
		})
	}
}

func TestUnknownOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, target := range []string{"POST /contact/outbound-voice", "PUT /contact/email", "GET /contacts/" + queueID, "GET /"} {
		method, path, _ := strings.Cut(target, " ")
		status, code, _ := w.do(w.signed(method, path, "{}", epoch))
		if status != http.StatusNotFound || code != connectemu.CodeUnknownOperation {
			t.Errorf("%s: got %d %q", target, status, code)
		}
	}
}

func TestListsOfKnownResources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) {
		c.Flows, c.Queues, c.SourceNumbers = []string{flowID}, []string{queueID}, []string{"+12025550100"}
		c.DeniedPrefixes = []string{"+44"}
	})
	base := func(change func(*startInput)) *startInput {
		in := input(answers)
		change(in)
		return in
	}
	other := aws.String("12121212-8888-4777-8666-555555555555")
	for name, in := range map[string]*startInput{
		"flow":   base(func(in *startInput) { in.ContactFlowId = other }),
		"queue":  base(func(in *startInput) { in.QueueId = other }),
		"source": base(func(in *startInput) { in.SourcePhoneNumber = aws.String("+12025550101") }),
	} {
		_, err := w.client.StartOutboundVoiceContact(t.Context(), in)
		t.Log(name)
		wantCode(t, err, connectemu.CodeNotFound, http.StatusNotFound)
	}
	_, err := w.start("+447700900001", "t")
	wantCode(t, err, connectemu.CodeNotAllowed, http.StatusForbidden)
	w.wantRings(0)
	w.mustStart(answers, "t")
}

func TestRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.MaxConcurrentCalls = connectemu.Off })
	start := func() error {
		_, err := w.client.StartOutboundVoiceContact(t.Context(), input(answers))
		return err
	}
	describe := func() error {
		_, err := w.client.DescribeContact(t.Context(), &connect.DescribeContactInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(w.server.Rings()[0].ContactID),
		})
		return err
	}
	search := func() error { _, err := w.search(nil); return err }
	for _, tc := range []struct {
		name  string
		burst int
		code  string
		call  func() error
	}{
		{"start", 5, connectemu.CodeTooManyRequests, start},
		{"describe", 15, connectemu.CodeThrottling, describe},
		{"search", 1, connectemu.CodeThrottling, search},
	} {
		for i := range tc.burst {
			if err := tc.call(); err != nil {
				t.Fatalf("%s %d: %v", tc.name, i, err)
			}
		}
		wantCode(t, tc.call(), tc.code, http.StatusTooManyRequests)
	}
	w.wantRings(5)
	w.clock.Advance(500e6) // 2/s and 10/s give one and five, 0.5/s gives none
	for name, call := range map[string]func() error{"start": start, "describe": describe} {
		if err := call(); err != nil {
			t.Fatalf("%s after half a second: %v", name, err)
		}
	}
	wantCode(t, start(), connectemu.CodeTooManyRequests, http.StatusTooManyRequests)
	wantCode(t, search(), connectemu.CodeThrottling, http.StatusTooManyRequests)
	w.clock.Advance(1500e6)
	if err := search(); err != nil {
		t.Fatalf("search after 2 s: %v", err)
	}
}

func TestStopRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	codes := map[string]int{}
	for range 16 {
		_, code, _ := w.do(w.signed(http.MethodPost, "/contact/stop", `{}`, epoch))
		codes[code]++
	}
	want := map[string]int{connectemu.CodeInvalidRequest: 15, connectemu.CodeTooManyRequests: 1}
	if !maps.Equal(codes, want) {
		t.Errorf("codes: got %v, want %v", codes, want)
	}
}

func TestConcurrentCallsAreLimitedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) { c.MaxConcurrentCalls = 0 })
	var first string
	for i := range connectemu.DefaultMaxConcurrentCalls {
		if id := w.mustStart(answers, ""); i == 0 {
			first = id
		}
	}
	_, err := w.start(answers, "")
	wantCode(t, err, connectemu.CodeLimitExceeded, http.StatusTooManyRequests)
	stop := &connect.StopContactInput{InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(first)}
	if _, err := w.client.StopContact(t.Context(), stop); err != nil {
		t.Fatalf("stop: %v", err)
	}
	w.mustStart(answers, "")
	_, err = w.start(answers, "")
	wantCode(t, err, connectemu.CodeLimitExceeded, http.StatusTooManyRequests)
	w.clock.Advance(connectemu.DefaultRingTime + connectemu.DefaultTalkTime)
	for range connectemu.DefaultMaxConcurrentCalls {
		w.mustStart(answers, "")
	}
	_, err = w.start(answers, "")
	wantCode(t, err, connectemu.CodeLimitExceeded, http.StatusTooManyRequests)
}
