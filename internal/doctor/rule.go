package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Rule is an EventBridge rule with its targets.
type Rule struct {
	Name, Bus string
	Enabled   bool
	Pattern   string   // the event pattern as JSON; empty for a rule on a schedule
	Targets   []string // ARNs
}

// JudgeRule judges the rule that brings contact events: by them a lost answer is found out at once. instances are ARNs; takers are the
// ARNs that events may be handed to, the function and the queues that it reads; all says that all of them are known, without which a target
// that is none of them proves nothing.
func JudgeRule(r Rule, instances, takers []string, all bool) []Finding {
	why := "Contact events decide what became of a lost answer, and how a call ended. Without them a doubt waits for the schedule of looks."
	match, sure := patternTakes(r.Pattern, instances)
	findings := []Finding{judge(r.Enabled && match, Fault, Finding{
		Check: "contact-rule", Subject: r.Name,
		What: fmt.Sprintf("The rule is enabled: %t; contact events of the instances match its pattern: %t.", r.Enabled, match), Why: why,
		Fix: `Enable the rule with source ["aws.connect"], detail-type ["Amazon Connect Contact Event"] and, in detail, instanceArn of each instance.`,
	})}
	if !sure {
		findings[0] = Finding{
			Check: "contact-rule", Level: Unknown, Subject: r.Name, What: "The pattern of the rule uses filters that are not understood here.", Why: why,
			Fix: "Try a contact event of the instance against the rule in the EventBridge console.",
		}
	}
	taken := slices.ContainsFunc(r.Targets, func(target string) bool {
		return slices.ContainsFunc(takers, func(taker string) bool {
			return taker != "" && (target == taker || strings.HasPrefix(target, taker+":"))
		})
	})
	if !taken && !all {
		return findings
	}
	return append(findings, judge(taken, Fault, Finding{
		Check: "contact-target", Subject: r.Name, What: fmt.Sprintf("The rule has %d targets; one of them is the function or a queue that it reads: %t.", len(r.Targets), taken),
		Why: why, Fix: "Make the function, or a queue that it reads, a target of the rule.",
	}))
}

// patternTakes reports whether a contact event of every instance matches the pattern; sure is false when the pattern holds a filter
// that is not evaluated here.
func patternTakes(pattern string, instances []string) (match, sure bool) {
	var p struct {
		Source     []any                      `json:"source"`
		DetailType []any                      `json:"detail-type"`
		Resources  []any                      `json:"resources"`
		Detail     map[string]json.RawMessage `json:"detail"`
	}
	if json.Unmarshal([]byte(pattern), &p) != nil {
		return false, pattern == ""
	}
	t := taking{match: true, sure: true}
	t.field(p.Source, "aws.connect")
	t.field(p.DetailType, "Amazon Connect Contact Event")
	for name, raw := range p.Detail {
		var filters []any
		err := json.Unmarshal(raw, &filters)
		switch {
		case err == nil && name == "instanceArn":
			for _, instance := range instances {
				t.field(filters, instance)
			}
		case err == nil && name == "initiationMethod":
			t.field(filters, "API") // of every contact that StartOutboundVoiceContact makes
		default:
			t.sure = false // restricts by what an event holds
		}
	}
	if len(p.Resources) > 0 {
		t.sure = false
	}
	return t.match, t.sure || !t.match
}

type taking struct{ match, sure bool }

// field is one comparison; no filters take every value (EventBridge User Guide, "Event patterns").
func (t *taking) field(filters []any, value string) {
	if len(filters) == 0 {
		return
	}
	understood := true
	for _, filter := range filters {
		switch f := filter.(type) {
		case string:
			if f == value {
				return
			}
		case map[string]any:
			prefix, isPrefix := f["prefix"].(string)
			suffix, isSuffix := f["suffix"].(string)
			if isPrefix && strings.HasPrefix(value, prefix) || isSuffix && strings.HasSuffix(value, suffix) {
				return
			}
			understood = understood && (isPrefix || isSuffix)
		}
	}
	if understood {
		t.match = false
	} else {
		t.sure = false
	}
}
