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

func (w *world) attributes(id string) (map[string]string, error) {
	out, err := w.client.GetContactAttributes(w.t.Context(), &connect.GetContactAttributesInput{
		InstanceId: aws.String(connectemu.DefaultInstance), InitialContactId: aws.String(id),
	})
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}

func (w *world) update(id string, attributes map[string]string) error {
	_, err := w.client.UpdateContactAttributes(w.t.Context(), &connect.UpdateContactAttributesInput{
		InstanceId: aws.String(connectemu.DefaultInstance), InitialContactId: aws.String(id), Attributes: attributes,
	})
	return err
}

func TestAttributesAreUpdatedDuringAndAfterTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(answers)
	in.Attributes = map[string]string{"callId": "7", "step": "ringing"}
	out, err := w.client.StartOutboundVoiceContact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	id := *out.ContactId
	for _, step := range []string{"answered", "ended"} {
		w.clock.Advance(20 * time.Second)
		if err := w.update(id, map[string]string{"step": step}); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		got, err := w.attributes(id)
		if err != nil || fmt.Sprint(got) != "map[callId:7 step:"+step+"]" {
			t.Errorf("%s: %v, %v", step, got, err)
		}
		described, err := w.describe(id)
		if err != nil || described.Attributes["step"] != step || !described.LastUpdateTimestamp.Equal(w.clock.Now()) {
			t.Errorf("%s: described %v, %v", step, described, err)
		}
	}
	if ring := w.server.Rings()[0]; ring.Attributes["step"] != "ringing" {
		t.Errorf("the ring has forgotten what it was asked for: %v", ring.Attributes)
	}
}

func TestLimitsOfAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.AttributesRate = connectemu.Unlimited })
	id := w.mustStart(answers, "")
	if err := w.update(id, map[string]string{"first": strings.Repeat("a", 32_000)}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id, code   string
		attributes map[string]string
	}{
		"too many bytes with what is there": {id, parameter, map[string]string{"second": strings.Repeat("b", 800)}},
		"a name with a space":               {id, parameter, map[string]string{"a b": ""}},
		"an unknown contact":                {nowhere, connectemu.CodeNotFound, map[string]string{"a": "b"}},
		"a long id":                         {strings.Repeat("x", 257), parameter, map[string]string{"a": "b"}},
	} {
		if err := w.update(c.id, c.attributes); codeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if _, code, _ := w.do(w.signed(http.MethodPost, "/contact/attributes", `{"InstanceId":"x","InitialContactId":"y"}`, epoch)); code != invalid {
		t.Errorf("without attributes: %q", code)
	}
	if got, err := w.attributes(id); err != nil || len(got) != 1 {
		t.Errorf("a refused update had an effect: %d attributes, %v", len(got), err)
	}
	if _, err := w.attributes(nowhere); codeOf(err) != connectemu.CodeNotFound {
		t.Errorf("attributes of nobody: %v", err)
	}
	w.clock.Advance(connectemu.DefaultRetention + time.Second)
	if _, err := w.attributes(id); codeOf(err) != connectemu.CodeNotFound {
		t.Errorf("after 24 months: %v", err)
	}
}

func TestContactsAreTaggedAndUntagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.LookupRate = connectemu.Unlimited })
	id := w.mustStart(answers, "")
	tag := func(id string, tags map[string]string) error {
		_, err := w.client.TagContact(t.Context(), &connect.TagContactInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id), Tags: tags,
		})
		return err
	}
	untag := func(id string, keys ...string) error {
		_, err := w.client.UntagContact(t.Context(), &connect.UntagContactInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id), TagKeys: keys,
		})
		return err
	}
	many := map[string]string{"a": "", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""}
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"tag":             {tag(id, map[string]string{"cost:center": "7", "team": "on_call"}), ""},
		"no tags":         {tag(id, map[string]string{}), invalid},
		"seven tags":      {tag(id, many), parameter},
		"five more":       {tag(id, map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""}), parameter},
		"a key of AWS":    {tag(id, map[string]string{"aws:x": ""}), parameter},
		"a key with @":    {tag(id, map[string]string{"a@b": ""}), parameter},
		"a long key":      {tag(id, map[string]string{strings.Repeat("k", 129): ""}), parameter},
		"a long value":    {tag(id, map[string]string{"a": *long(257)}), parameter},
		"nobody":          {tag(nowhere, map[string]string{"a": "b"}), connectemu.CodeNotFound},
		"untag":           {untag(id, "team", "never-there"), ""},
		"untag a tag AWS": {untag(id, "aws:connect:instanceId"), parameter},
		"untag nobody":    {untag(nowhere, "team"), connectemu.CodeNotFound},
	} {
		if codeOf(c.err) != c.code {
			t.Errorf("%s: %v, want %q", name, c.err, c.code)
		}
	}
	if _, code, _ := w.do(w.signed(http.MethodDelete, "/contact/tags/"+connectemu.DefaultInstance+"/"+id, "", epoch)); code != invalid {
		t.Errorf("untag nothing: %q", code)
	}
	contact, err := w.describe(id)
	if err != nil || contact.Tags["cost:center"] != "7" || contact.Tags["aws:connect:instanceId"] != connectemu.DefaultInstance || len(contact.Tags) != 2 {
		t.Errorf("tags: %v, %v", contact, err)
	}
}

func TestAttributesAreFoundOnceTheyAreSearchable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		searchable []string
		match      types.SearchContactsMatchType
		want       int
	}{
		"not marked":     {nil, "", 0},
		"marked":         {[]string{"callId", "team"}, "", 1},
		"other case":     {[]string{"CALLID"}, "", 0},
		"one of the two": {[]string{"callId"}, types.SearchContactsMatchTypeMatchAll, 0},
		"any of the two": {[]string{"callId"}, types.SearchContactsMatchTypeMatchAny, 2},
		"none":           {[]string{"team"}, types.SearchContactsMatchTypeMatchNone, 1},
	} {
		w := newWorld(t, unpaced, func(c2 *connectemu.Config) { c2.SearchableAttributes = c.searchable })
		for _, team := range []string{"a", "b"} {
			in := input(answers)
			in.Attributes = map[string]string{"callId": "7", "team": team}
			if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		out, err := w.search(func(in *connect.SearchContactsInput) {
			in.SearchCriteria = &types.SearchCriteria{SearchableContactAttributes: &types.SearchableContactAttributes{
				MatchType: c.match,
				Criteria: []types.SearchableContactAttributesCriteria{
					{Key: aws.String("callId"), Values: []string{"7", "8"}}, {Key: aws.String("team"), Values: []string{"b"}},
				},
			}}
		})
		if err != nil || len(out.Contacts) != c.want {
			t.Errorf("%s: %v, %v, want %d", name, out, err, c.want)
		}
	}
}

func TestRatesOfAttributesAndTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.mustStart(answers, "")
	for name, c := range map[string]struct {
		burst int
		code  string
		call  func() error
	}{
		"get":    {15, connectemu.CodeTooManyRequests, func() error { _, err := w.attributes(id); return err }},
		"update": {15, connectemu.CodeTooManyRequests, func() error { return w.update(id, map[string]string{"a": "b"}) }},
		"tag": {25, connectemu.CodeThrottling, func() error {
			_, err := w.client.TagContact(t.Context(), &connect.TagContactInput{
				InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id), Tags: map[string]string{"a": "b"},
			})
			return err
		}},
	} {
		for i := range c.burst {
			if err := c.call(); err != nil {
				t.Fatalf("%s %d: %v", name, i, err)
			}
		}
		if err := c.call(); codeOf(err) != c.code {
			t.Errorf("%s beyond its burst: %v, want %s", name, err, c.code)
		}
	}
}
