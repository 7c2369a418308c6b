package clienttoken_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/clienttoken"
)

func rule(t *testing.T, service, operation string) clienttoken.Rule {
	t.Helper()
	r, err := clienttoken.For(service, operation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func codeOf(err error) string {
	if failure, ok := errors.AsType[*clienttoken.Error](err); ok {
		return failure.Code
	}
	return ""
}

// complete names what is wrong with a rule.
func complete(r clienttoken.Rule) string {
	switch {
	case r.Service == "" || r.Operation == "" || r.Source == "":
		return "no service, operation or source"
	case r.Service != strings.ToLower(r.Service) || strings.ContainsAny(r.Service, " ()"):
		return "the service is not named as the AWS CLI names it"
	case r.Usable() && r.Parameter == "":
		return "a usable token without a parameter"
	case r.Repeat == clienttoken.RepeatAgain && r.Parameter != "" && r.Service != "stepfunctions":
		return "a parameter that does nothing"
	case r.Usable() == (r.Mismatch == clienttoken.MismatchNone) && r.Operation != "ReceiveMessage":
		return "the mismatch does not fit the repeat"
	case r.Max != 0 && r.Min > r.Max:
		return "the lengths exclude each other"
	case r.Advice() == "":
		return "no advice"
	}
	for _, e := range r.Errors {
		if !regexp.MustCompile(`^[A-Z][\w.]+$`).MatchString(e) {
			return "an error without a name"
		}
	}
	return ""
}

func TestEveryRuleIsComplete(t *testing.T) {
	t.Parallel()
	rules := clienttoken.Rules()
	if len(rules) != 145 {
		t.Errorf("%d rules, want 145", len(rules))
	}
	seen := map[string]bool{}
	for _, r := range rules {
		name := r.Service + " " + r.Operation
		if fault := complete(r); fault != "" || seen[name] {
			t.Errorf("%s: %s; seen before: %t", name, fault, seen[name])
		}
		seen[name] = true
		if found := rule(t, strings.ToUpper(r.Service), strings.ToLower(r.Operation)); found.Source != r.Source {
			t.Errorf("%s: For finds another rule", name)
		}
	}
	for _, plant := range []func(*clienttoken.Rule){
		func(r *clienttoken.Rule) { r.Source = "" },
		func(r *clienttoken.Rule) { r.Service = "Amazon EC2" },
		func(r *clienttoken.Rule) { r.Parameter = "" },
		func(r *clienttoken.Rule) { r.Mismatch = clienttoken.MismatchNone },
		func(r *clienttoken.Rule) { r.Min = 65 },
		func(r *clienttoken.Rule) { r.Errors = []string{"an error"} },
		func(r *clienttoken.Rule) { r.Repeat = clienttoken.RepeatAgain },
	} {
		r := rule(t, "ec2", "RunInstances")
		plant(&r)
		if complete(r) == "" {
			t.Errorf("a planted fault was not seen: %+v", r)
		}
	}
}

// The facts that decide what people do, as the sources give them.
func TestTheRulesOfTheArticlesTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		service, operation, parameter string
		most                          int
		filled                        bool
		validity                      time.Duration
		repeat                        clienttoken.Repeat
	}{
		{"connect", "StartOutboundVoiceContact", "ClientToken", 500, true, 7 * 24 * time.Hour, clienttoken.RepeatSame},
		{"connect", "StartChatContact", "ClientToken", 500, true, 0, clienttoken.RepeatUndocumented},
		{"connect", "StartTaskContact", "ClientToken", 500, true, 0, clienttoken.RepeatUndocumented},
		{"ec2", "RunInstances", "ClientToken", 64, true, 0, clienttoken.RepeatSame},
		{"ecs", "RunTask", "clientToken", 64, true, 24 * time.Hour, clienttoken.RepeatSame},
		{"dynamodb", "TransactWriteItems", "ClientRequestToken", 36, true, 10 * time.Minute, clienttoken.RepeatSame},
		{"secretsmanager", "PutSecretValue", "ClientRequestToken", 64, true, 0, clienttoken.RepeatIgnored},
		{"cloudformation", "CreateStack", "ClientRequestToken", 128, false, 0, clienttoken.RepeatUndocumented},
		{"sfn", "StartExecution", "name", 80, false, 90 * 24 * time.Hour, clienttoken.RepeatSame},
	} {
		r := rule(t, c.service, c.operation)
		if r.Parameter != c.parameter || r.Max != c.most || r.AutoFilled != c.filled || r.Validity != c.validity || r.Repeat != c.repeat {
			t.Errorf("%s %s: %+v", c.service, c.operation, r)
		}
	}
}

func TestAnUnknownOperationIsAnErrorWithANextStep(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "RunInstancesX", strings.Repeat("x", 1<<16), "Run\nInstances"} {
		_, err := clienttoken.For("ec2", name)
		if codeOf(err) != clienttoken.CodeOperationUnknown || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%.20q: %.200v", name, err)
		}
	}
}

// TestEveryTokenSatisfiesItsRule draws keys and makes their token for every operation.
func TestEveryTokenSatisfiesItsRule(t *testing.T) {
	t.Parallel()
	m, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules := clienttoken.Rules()
	rapid.Check(t, func(t *rapid.T) {
		in := clienttoken.Input{
			NotificationID: rapid.StringMatching(`[^\p{Cc}]{1,40}`).Draw(t, "notification"), RecipientID: rapid.StringMatching(`[^\p{Cc}]{1,40}`).Draw(t, "recipient"),
			Ring: rapid.IntRange(0, 3).Draw(t, "ring"),
		}
		other := in
		other.Ring++
		seen := map[string]string{}
		for _, r := range rules {
			token, err := m.For(r.Service, r.Operation, in)
			if !r.Usable() {
				if codeOf(err) != clienttoken.CodeTokenNone || token != "" {
					t.Fatalf("%s %s: %q, %v", r.Service, r.Operation, token, err)
				}
				continue
			}
			again, _ := m.For(r.Service, r.Operation, in)
			next, _ := m.For(r.Service, r.Operation, other)
			if err != nil || !r.Takes(token) || token != again || token == next {
				t.Fatalf("%s %s: %q, then %q, of the next ring %q; legal: %t; %v", r.Service, r.Operation, token, again, next, r.Takes(token), err)
			}
			if before := seen[token]; before != "" && !strings.HasSuffix(r.Operation, "Batch") {
				t.Fatalf("%s %s has the token of %s", r.Service, r.Operation, before)
			}
			seen[token] = r.Service + " " + r.Operation
		}
	})
}

func TestEveryUsableRuleHasAToken(t *testing.T) {
	t.Parallel()
	without := []string{}
	for _, r := range clienttoken.Rules() {
		if _, err := r.Token("base"); err != nil {
			without = append(without, r.Service+" "+r.Operation)
		}
		if _, err := r.Token(""); err == nil {
			t.Errorf("%s %s: a token of nothing", r.Service, r.Operation)
		}
	}
	if len(without) != 23 || slices.ContainsFunc(without, func(name string) bool { return strings.Contains(name, "RunInstances") }) {
		t.Errorf("%d operations have no token: %q", len(without), without)
	}
}

func TestForKnowsTheNamesOfTheGoPackages(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"sfn": "stepfunctions", "chimesdkvoice": "chime-sdk-voice", "rdsdata": "rds-data", "pinpointsmsvoicev2": "pinpoint-sms-voice-v2",
		"states": "stepfunctions", "events": "eventbridge", "EC2": "ec2",
	} {
		found := 0
		for _, r := range clienttoken.Rules() {
			if r.Service != want {
				continue
			}
			found++
			if got, err := clienttoken.For(name, r.Operation); err != nil || got.Service != want {
				t.Errorf("%s %s: %q, %v", name, r.Operation, got.Service, err)
			}
		}
		if found == 0 {
			t.Errorf("nothing is known of %s", want)
		}
	}
}

// A caller that writes into a rule must not change it for others.
func TestRulesAreCopies(t *testing.T) {
	t.Parallel()
	rule(t, "ec2", "RunInstances").Errors[0] = "changed"
	for _, r := range clienttoken.Rules() {
		if len(r.Errors) > 0 {
			r.Errors[0] = "changed"
		}
	}
	if got := rule(t, "ec2", "RunInstances").Errors[0]; got != "IdempotentParameterMismatch" {
		t.Errorf("the data says %q now", got)
	}
}

// Whoever takes the error of a repeat for success must learn that another request gets the same one.
func TestAdviceWarnsWhereARepeatAndAMismatchLookAlike(t *testing.T) {
	t.Parallel()
	warned := 0
	for _, r := range clienttoken.Rules() {
		alike := r.Repeat == clienttoken.RepeatRefused && r.Mismatch == clienttoken.MismatchError
		if warns := strings.Contains(r.Advice(), "compare what exists"); warns != alike {
			t.Errorf("%s %s: warns %t, alike %t: %s", r.Service, r.Operation, warns, alike, r.Advice())
		}
		if alike {
			warned++
		}
	}
	if warned != 5 {
		t.Errorf("%d operations, want 5", warned)
	}
}

func TestTakesKnowsLengthAndAlphabet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		service, operation, token string
		want                      bool
	}{
		{"ec2", "RunInstances", strings.Repeat("a", 64), true},
		{"ec2", "RunInstances", strings.Repeat("a", 65), false},
		{"ec2", "RunInstances", "", false},
		{"ec2", "RunInstances", strings.Repeat("\u00e9", 32), false}, // 64 ASCII characters, says the page
		{"connect", "StartTaskContact", "\xff", false},
		{"stepfunctions", "StartExecution", "a\x01b", false},
		{"secretsmanager", "PutSecretValue", strings.Repeat("a", 31), false},
		{"ssm", "StartAutomationExecution", strings.Repeat("a", 36), false},
		{"ssm", "StartAutomationExecution", "01234567-89ab-cdef-0123-456789ABCDEF", true},
		{"scheduler", "CreateSchedule", "a.b", false},
		{"stepfunctions", "StartExecution", "a b", false},
		{"stepfunctions", "StartExecution", "a-b", true},
		{"cloudformation", "CreateStack", "-a", false},
		{"s3", "PutObject", "*", false},
	} {
		if got := rule(t, c.service, c.operation).Takes(c.token); got != c.want {
			t.Errorf("%s %s takes %.40q: %t", c.service, c.operation, c.token, got)
		}
	}
}
