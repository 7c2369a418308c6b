package deploytest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Statement is one statement of a policy.
type Statement struct {
	Holder     string // whose policy it is: a role, a queue's URL, a key, or "trust of" a role
	Sid        string
	Effect     string
	Principals []string // of a resource's policy: Service:events.amazonaws.com, AWS:arn..., or *
	Actions    []string
	Resources  []string
	Conditions []string // operator key=value, ordered
}

// String returns the statement in one line, as the table of expected permissions has it.
func (s Statement) String() string {
	line := s.Holder + " " + s.Sid + ": " + s.Effect
	if len(s.Principals) > 0 {
		line += " " + strings.Join(s.Principals, ",")
	}
	line += " " + strings.Join(s.Actions, ",") + " on " + strings.Join(s.Resources, ",")
	if len(s.Conditions) > 0 {
		line += " if " + strings.Join(s.Conditions, " and ")
	}
	return line
}

// statements returns every statement of every policy of a stack, in a fixed order.
func (s *Stack) statements() []Statement {
	var found []Statement
	for _, r := range s.of("AWS::IAM::RolePolicy") {
		found = append(found, statementsOf(r.text("RoleName"), r.list("PolicyDocument", "Statement"))...)
	}
	for _, r := range s.of("AWS::IAM::Role") {
		found = append(found, statementsOf("trust of "+r.text("RoleName"), r.list("AssumeRolePolicyDocument", "Statement"))...)
	}
	for _, r := range s.of("AWS::SQS::QueuePolicy") {
		found = append(found, statementsOf(strings.Join(texts(r.list("Queues")), ""), r.list("PolicyDocument", "Statement"))...)
	}
	for _, r := range s.of("AWS::KMS::Key") {
		found = append(found, statementsOf("key "+r.text("Description"), r.list("KeyPolicy", "Statement"))...)
	}
	return found
}

func statementsOf(holder string, list []any) []Statement {
	var found []Statement
	for _, member := range list {
		raw, _ := member.(map[string]any)
		s := Statement{Holder: holder, Actions: texts(raw["Action"]), Resources: texts(raw["Resource"])}
		s.Sid, _ = raw["Sid"].(string)
		s.Effect, _ = raw["Effect"].(string)
		switch p := raw["Principal"].(type) {
		case string:
			s.Principals = []string{p}
		case map[string]any:
			for _, kind := range slices.Sorted(maps.Keys(p)) {
				for _, name := range texts(p[kind]) {
					s.Principals = append(s.Principals, kind+":"+name)
				}
			}
		}
		operators, _ := raw["Condition"].(map[string]any)
		for _, operator := range slices.Sorted(maps.Keys(operators)) {
			keys, _ := operators[operator].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				s.Conditions = append(s.Conditions, operator+" "+key+"="+strings.Join(texts(keys[key]), "|"))
			}
		}
		found = append(found, s)
	}
	return found
}

// texts returns a scalar or a list as an ordered list.
func texts(v any) []string {
	var list []string
	switch v := v.(type) {
	case nil:
	case []any:
		for _, member := range v {
			list = append(list, fmt.Sprint(member))
		}
	default:
		list = append(list, fmt.Sprint(v))
	}
	slices.Sort(list)
	return list
}

// has reports whether a condition on a key is there.
func (s Statement) has(key string) bool {
	return slices.ContainsFunc(s.Conditions, func(c string) bool { return strings.Contains(c, " "+key+"=") })
}

// wildcards are the resources with a wildcard that a role may have, by statement, each with its reason.
var wildcards = map[string]string{
	"Ring":                  "a contact has no id before it is made",
	"LookAtContacts":        "contacts are many, and this is the instance's own room of them",
	"HangUpWhatWasCanceled": "as for LookAtContacts",
	"NeverForget":           "a denial is as wide as it can be",
	"Log":                   "Lambda names the streams of the one group",
	"Trace":                 "X-Ray has no resource types for PutTraceSegments and PutTelemetryRecords",
	"HintLater":             "hints are named after calls, in a group of their own",
}

// wideResources says what is too wide in the permissions of a role.
func wideResources(s Statement) []string {
	var found []string
	for _, action := range s.Actions {
		if strings.Contains(action, "*") {
			found = append(found, fmt.Sprintf("iam: %s %s has the wildcard action %s", s.Holder, s.Sid, action))
		}
	}
	for _, resource := range s.Resources {
		if strings.Contains(resource, "*") && wildcards[s.Sid] == "" {
			found = append(found, fmt.Sprintf("iam: %s %s reaches %s", s.Holder, s.Sid, resource))
		}
		if resource == "*" && s.Sid != "Trace" {
			found = append(found, fmt.Sprintf("iam: %s %s reaches everything", s.Holder, s.Sid))
		}
	}
	return found
}

// openDoors says who may use a resource that should not.
func openDoors(s Statement) []string {
	var found []string
	for _, principal := range s.Principals {
		service := strings.HasPrefix(principal, "Service:")
		switch {
		case s.Effect == "Deny":
		case strings.HasPrefix(s.Holder, "key "):
			mine := principal == "AWS:arn:"+partition+":iam::"+account+":root"
			if !mine && (!service || (!s.has("aws:SourceAccount") && !s.has("aws:SourceArn"))) {
				found = append(found, fmt.Sprintf("key: %s %s is open to %s", s.Holder, s.Sid, principal))
			}
		case principal == "Service:lambda.amazonaws.com" && strings.HasPrefix(s.Holder, "trust of "):
		case !service || !s.has("aws:SourceArn") || !s.has("aws:SourceAccount"):
			found = append(found, fmt.Sprintf("policy: %s %s is open to %s without source ARN and account", s.Holder, s.Sid, principal))
		}
	}
	if strings.HasPrefix(s.Holder, "key ") && slices.ContainsFunc(s.Actions, func(a string) bool { return strings.Contains(a, "*") }) {
		found = append(found, fmt.Sprintf("key: %s %s has a wildcard action", s.Holder, s.Sid))
	}
	return found
}
