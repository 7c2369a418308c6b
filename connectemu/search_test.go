package connectemu_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

func TestSearchFindsContactsByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	for _, name := range []string{"call one", "call two", "other"} {
		in := input(answers)
		in.Name = aws.String(name)
		if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Second)
	}
	for _, tc := range []struct {
		match types.SearchContactsMatchType
		texts []string
		want  []string
	}{
		{types.SearchContactsMatchTypeMatchExact, []string{"call one"}, []string{"call one"}},
		{types.SearchContactsMatchTypeMatchExact, []string{"call"}, nil},
		{types.SearchContactsMatchTypeMatchExact, []string{"other", "call two"}, []string{"other", "call two"}},
		{types.SearchContactsMatchTypeMatchAll, []string{"call", "TWO"}, []string{"call two"}},
		{types.SearchContactsMatchTypeMatchAny, []string{"one", "two"}, []string{"call two", "call one"}},
		{types.SearchContactsMatchTypeMatchNone, []string{"call"}, []string{"other"}},
	} {
		out, err := w.search(func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{
				Name:              &types.NameCriteria{MatchType: tc.match, SearchText: tc.texts},
				InitiationMethods: []types.ContactInitiationMethod{types.ContactInitiationMethodApi},
				Channels:          []types.Channel{types.ChannelVoice},
			}
		})
		if err != nil {
			t.Fatalf("search: %v", err)
		}
		var names []string
		for _, c := range out.Contacts {
			names = append(names, aws.ToString(c.Name))
		}
		if !slices.Equal(names, tc.want) {
			t.Errorf("%s %v: got %v, want %v", tc.match, tc.texts, names, tc.want)
		}
	}
}

func TestSearchCriteriaExclude(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	w.mustStart(answers, "")
	for name, change := range map[string]func(*connect.SearchContactsInput){
		"inbound": func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{InitiationMethods: []types.ContactInitiationMethod{types.ContactInitiationMethodInbound}}
		},
		"chat": func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{Channels: []types.Channel{types.ChannelChat}}
		},
		"other queue": func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{QueueIds: []string{flowID}}
		},
		"earlier": func(in *connect.SearchContactsInput) { in.TimeRange.EndTime = aws.Time(epoch.Add(-time.Millisecond)) },
		"later":   func(in *connect.SearchContactsInput) { in.TimeRange.StartTime = aws.Time(epoch.Add(time.Millisecond)) },
		"not disconnected": func(in *connect.SearchContactsInput) {
			in.TimeRange.Type = types.SearchContactsTimeRangeTypeDisconnectTimestamp
		},
		"without an agent": func(in *connect.SearchContactsInput) {
			in.TimeRange.Type = types.SearchContactsTimeRangeTypeConnectedToAgentTimestamp
		},
	} {
		out, err := w.search(change)
		if err != nil || len(out.Contacts) != 0 {
			t.Errorf("%s: got %v %v, want nothing", name, out, err)
		}
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	for range 7 {
		w.mustStart(answers, "")
		w.clock.Advance(time.Second)
	}
	var found []string
	var next *string
	for pages := 1; ; pages++ {
		out, err := w.search(func(in *connect.SearchContactsInput) {
			in.MaxResults, in.NextToken = aws.Int32(3), next
			in.Sort = &types.Sort{FieldName: types.SortableFieldNameInitiationTimestamp, Order: types.SortOrderAscending}
		})
		if err != nil {
			t.Fatal(err)
		}
		if aws.ToInt64(out.TotalCount) != 7 {
			t.Errorf("total: got %d, want 7", aws.ToInt64(out.TotalCount))
		}
		for _, c := range out.Contacts {
			found = append(found, aws.ToString(c.Id))
		}
		if next = out.NextToken; next == nil {
			if pages != 3 {
				t.Errorf("pages: got %d, want 3", pages)
			}
			break
		}
	}
	for i, ring := range w.server.Rings() {
		if i >= len(found) || found[i] != ring.ContactID {
			t.Fatalf("found %v, differs at %d", found, i)
		}
	}
}

func TestSearchVisibility(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		completed bool
		delay     time.Duration
		from      time.Duration
	}{
		"at once":                {false, 0, 0},
		"after a delay":          {false, 10 * time.Second, 10 * time.Second},
		"only completed":         {true, 0, 38 * time.Second},
		"completed with a delay": {true, 10 * time.Second, 48 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, unpaced, func(c *connectemu.Config) { c.SearchSeesOnlyCompleted, c.SearchDelay = tc.completed, tc.delay })
			w.mustStart(answers, "")
			count := func() int {
				out, err := w.search(nil)
				if err != nil {
					t.Fatal(err)
				}
				return len(out.Contacts)
			}
			if tc.from > 0 {
				w.clock.Advance(tc.from - time.Millisecond)
				if n := count(); n != 0 {
					t.Errorf("seen too early: %d", n)
				}
				w.clock.Advance(time.Millisecond)
			}
			if n := count(); n != 1 {
				t.Errorf("not seen: %d", n)
			}
		})
	}
}

func TestSearchDoesNotShowAttributesOrReasons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(answers)
	in.Attributes = map[string]string{"secret": "attribute-value"}
	if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Minute)
	body := `{"InstanceId":"` + connectemu.DefaultInstance + `","TimeRange":{"Type":"INITIATION_TIMESTAMP","StartTime":1795921200,"EndTime":1795924800}}`
	_, _, answer := w.do(w.signed(http.MethodPost, "/search-contacts", body, w.clock.Now()))
	if !containsAll(answer, w.server.Rings()[0].ContactID, "DisconnectTimestamp") {
		t.Errorf("the contact is missing: %s", answer)
	}
	for _, hidden := range []string{"attribute-value", "CUSTOMER_DISCONNECT", answers} {
		if containsAll(answer, hidden) {
			t.Errorf("the summary shows %s: %s", hidden, answer)
		}
	}
}

func TestSearchLimits(t *testing.T) {
	t.Parallel()
	many := make([]string, 101)
	byName := func(n types.NameCriteria) func(*connect.SearchContactsInput) {
		return func(in *connect.SearchContactsInput) { in.SearchCriteria = &types.SearchCriteria{Name: &n} }
	}
	for name, tc := range map[string]struct {
		change func(*connect.SearchContactsInput)
		code   string
	}{
		"no results":      {func(in *connect.SearchContactsInput) { in.MaxResults = aws.Int32(0) }, connectemu.CodeInvalidParameter},
		"101 results":     {func(in *connect.SearchContactsInput) { in.MaxResults = aws.Int32(101) }, connectemu.CodeInvalidParameter},
		"unknown time":    {func(in *connect.SearchContactsInput) { in.TimeRange.Type = "NOON" }, connectemu.CodeInvalidParameter},
		"backwards":       {func(in *connect.SearchContactsInput) { in.TimeRange.EndTime = aws.Time(epoch.Add(-2 * time.Hour)) }, connectemu.CodeInvalidParameter},
		"over 1345 hours": {func(in *connect.SearchContactsInput) { in.TimeRange.EndTime = aws.Time(epoch.Add(1345 * time.Hour)) }, connectemu.CodeInvalidParameter},
		"foreign token":   {func(in *connect.SearchContactsInput) { in.NextToken = aws.String("next") }, connectemu.CodeInvalidParameter},
		"unknown sort":    {func(in *connect.SearchContactsInput) { in.Sort = &types.Sort{FieldName: "SIZE", Order: "ASCENDING"} }, connectemu.CodeInvalidParameter},
		"unknown criterion": {func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{AgentIds: []string{flowID}}
		}, connectemu.CodeInvalidRequest},
		"unknown match":  {byName(types.NameCriteria{MatchType: "LIKE", SearchText: []string{"a"}}), connectemu.CodeInvalidParameter},
		"101 texts":      {byName(types.NameCriteria{MatchType: "MATCH_ANY", SearchText: many}), connectemu.CodeInvalidParameter},
		"long text":      {byName(types.NameCriteria{MatchType: "MATCH_ANY", SearchText: []string{string(make([]byte, 129))}}), connectemu.CodeInvalidParameter},
		"other instance": {func(in *connect.SearchContactsInput) { in.InstanceId = aws.String(flowID) }, connectemu.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, err := w.search(tc.change)
			status := http.StatusBadRequest
			if tc.code == connectemu.CodeNotFound {
				status = http.StatusNotFound
			}
			wantCode(t, err, tc.code, status)
		})
	}
}
