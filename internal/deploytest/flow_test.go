package deploytest

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/envelope"
	reported "github.com/ringonce/ringonce/internal/flow"
)

const flowFile = "../../deploy/flows/ringonce-alert.json"

// flow is a contact flow in the flow language (Amazon Connect API Reference, "Amazon Connect Flow language").
type flow struct {
	Version, StartAction string
	Metadata             struct{ ActionMetadata map[string]any }
	Actions              []action
}

type action struct {
	Identifier, Type string
	Parameters       map[string]any
	Transitions      struct {
		NextAction string
		Conditions []struct {
			NextAction string
			Condition  struct {
				Operator string
				Operands []string
			}
		}
		Errors []struct{ NextAction, ErrorType string }
	}
}

// mustHandle are the errors that each type of action has to have a branch for.
var mustHandle = map[string][]string{
	"InvokeLambdaFunction":  {"NoMatchingError"},
	"Compare":               {"NoMatchingCondition"},
	"MessageParticipant":    {"NoMatchingError"},
	"GetParticipantInput":   {"InputTimeLimitExceeded", "NoMatchingCondition", "NoMatchingError"},
	"DisconnectParticipant": nil,
}

func readFlow(content []byte) (f flow, err error) {
	err = json.Unmarshal(content, &f)
	return f, err
}

func (a action) targets() []string {
	targets := []string{a.Transitions.NextAction}
	for _, c := range a.Transitions.Conditions {
		targets = append(targets, c.NextAction)
	}
	for _, e := range a.Transitions.Errors {
		targets = append(targets, e.NextAction)
	}
	return targets
}

// problems is what would keep the flow from being imported, or from doing what docs/flow.md says.
func (f flow) problems() (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if f.Version != "2019-10-30" {
		say("version %q", f.Version)
	}
	byID := map[string]action{}
	for _, a := range f.Actions {
		if _, twice := byID[a.Identifier]; twice || a.Identifier == "" || len(a.Identifier) > 50 {
			say("identifier %q", a.Identifier)
		}
		byID[a.Identifier] = a
		found = append(found, a.problems()...)
		if f.Metadata.ActionMetadata[a.Identifier] == nil {
			say("%s has no place on the canvas", a.Identifier)
		}
	}
	reached := map[string]bool{}
	var walk func(id string)
	walk = func(id string) {
		if reached[id] {
			return
		}
		reached[id] = true
		a, exists := byID[id]
		if !exists {
			say("a transition leads to %q, which does not exist", id)
			return
		}
		if a.Type == "DisconnectParticipant" {
			return
		}
		for _, next := range a.targets() {
			walk(next)
		}
	}
	walk(f.StartAction)
	for _, a := range f.Actions {
		if !reached[a.Identifier] {
			say("%s is never reached", a.Identifier)
		}
	}
	if first := byID[f.StartAction]; first.Type != "InvokeLambdaFunction" || first.parameter(envelope.ParameterReport) != envelope.ReportCheckIn {
		say("the first block does not check in")
	}
	return found
}

// problems is what is wrong with one action by itself.
func (a action) problems() (found []string) {
	say := func(format string, args ...any) {
		found = append(found, a.Identifier+": "+fmt.Sprintf(format, args...))
	}
	handles, known := mustHandle[a.Type]
	if !known {
		say("unknown type %q", a.Type)
	}
	for _, name := range handles {
		if !slices.ContainsFunc(a.Transitions.Errors, func(e struct{ NextAction, ErrorType string }) bool { return e.ErrorType == name }) {
			say("its branch %s is not connected", name)
		}
	}
	if len(handles) > 0 && a.Transitions.NextAction == "" {
		say("nothing comes next")
	}
	for _, c := range a.Transitions.Conditions {
		if c.Condition.Operator != "Equals" || len(c.Condition.Operands) != 1 || (a.Type == "GetParticipantInput" && len(c.Condition.Operands[0]) != 1) {
			say("condition %+v", c.Condition)
		}
	}
	switch a.Type {
	case "InvokeLambdaFunction":
		validation, _ := a.Parameters["ResponseValidation"].(map[string]any)
		if validation["ResponseType"] != "STRING_MAP" || a.Parameters["InvocationTimeLimitSeconds"] != "8" || a.Parameters["InvocationType"] != "SYNCHRONOUS" {
			say("it does not wait for a flat object of texts: %v", a.Parameters)
		}
		if !regexp.MustCompile(`^arn:aws:lambda:REGION:ACCOUNT:function:ringonce$`).MatchString(fmt.Sprint(a.Parameters["LambdaFunctionARN"])) {
			say("function %v", a.Parameters["LambdaFunctionARN"])
		}
		if problem := a.unread(); problem != "" {
			say("%s", problem)
		}
	case "Compare":
		name, external := strings.CutPrefix(fmt.Sprint(a.Parameters["ComparisonValue"]), "$.External.")
		if !external || !slices.Contains(answered(), name) {
			say("it looks at %v, which the function does not answer", a.Parameters["ComparisonValue"])
		}
	case "GetParticipantInput":
		if a.Parameters["StoreInput"] != "False" {
			say("it stores what is pressed, and has no conditions")
		}
	}
	return found
}

func (a action) parameter(name string) string {
	parameters, _ := a.Parameters["LambdaInvocationAttributes"].(map[string]any)
	text, _ := parameters[name].(string)
	return text
}

// unread says which parameter of the block the function would not read as it is meant.
func (a action) unread() string {
	document, err := json.Marshal(map[string]any{"Name": "ContactFlowEvent", "Details": map[string]any{
		"ContactData": map[string]any{"ContactId": "c"}, "Parameters": a.Parameters["LambdaInvocationAttributes"],
	}})
	if err != nil {
		return err.Error()
	}
	in := envelope.Decode(document, envelope.Options{}).Records[0].CheckIn
	if in == nil {
		return "the function does not recognize it"
	}
	pressed := a.parameter(envelope.ParameterReport) == envelope.ReportPressed
	if report := a.parameter(envelope.ParameterReport); !pressed && report != envelope.ReportCheckIn {
		return "unknown report " + report
	}
	parameters, _ := a.Parameters["LambdaInvocationAttributes"].(map[string]any)
	for name := range parameters {
		if !slices.Contains([]string{envelope.ParameterReport, envelope.ParameterKey, envelope.ParameterConfirms, envelope.ParameterOptsOut}, name) {
			return "unknown parameter " + name
		}
	}
	if in.Key != a.parameter(envelope.ParameterKey) || in.Confirms != (a.parameter(envelope.ParameterConfirms) != "") ||
		in.OptsOut != (a.parameter(envelope.ParameterOptsOut) != "") || pressed != (in.Key != "") {
		return fmt.Sprintf("its parameters are read as %+v", *in)
	}
	return ""
}

// answered are the names of what the function answers.
func answered() (names []string) {
	for field := range reflect.TypeFor[reported.Answer]().Fields() {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}

func TestTheFlowCanBeImportedAndSaysWhatTheFunctionReads(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(flowFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := readFlow(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range f.problems() {
		t.Error(problem)
	}
	keys := map[string]string{}
	for _, a := range f.Actions {
		for _, c := range a.Transitions.Conditions {
			if a.Type == "GetParticipantInput" {
				keys[c.Condition.Operands[0]] = c.NextAction
			}
		}
	}
	for key, block := range keys { // the key that is pressed is the key that is reported
		i := slices.IndexFunc(f.Actions, func(a action) bool { return a.Identifier == block })
		if f.Actions[i].parameter(envelope.ParameterKey) != key {
			t.Errorf("key %s leads to %s, which reports %q", key, block, f.Actions[i].parameter(envelope.ParameterKey))
		}
	}
	if len(keys) != 2 {
		t.Errorf("keys %v", keys)
	}
}

func TestEachPlantedDefectOfAFlowIsFound(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(flowFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"another version":        {`"2019-10-30"`, `"2020-10-30"`},
		"a target that is not":   {`"NextAction": "goodbye"`, `"NextAction": "good-bye"`},
		"an error unconnected":   {`"ErrorType": "InputTimeLimitExceeded"`, `"ErrorType": "NoMatchingErrors"`},
		"a block never reached":  {`"NextAction": "removed"`, `"NextAction": "thanks"`},
		"a block twice":          {`"Identifier": "thanks"`, `"Identifier": "removed"`},
		"an unknown report":      {`"ringonce": "pressed"`, `"ringonce": "press"`},
		"an unknown parameter":   {`"confirms": "yes"`, `"confirm": "yes"`},
		"a word that is not yes": {`"confirms": "yes"`, `"confirms": "true"`},
		"no check-in first":      {`"StartAction": "check-in"`, `"StartAction": "message"`},
		"an answer that is not":  {`$.External.wanted`, `$.External.want`},
		"an answer unread":       {`"STRING_MAP"`, `"JSON"`},
		"a wait too long":        {`"InvocationTimeLimitSeconds": "8"`, `"InvocationTimeLimitSeconds": "9"`},
		"an account of somebody": {`arn:aws:lambda:REGION:ACCOUNT:function:ringonce`, `arn:aws:lambda:us-east-1:111122223333:function:ringonce`},
	} {
		planted := strings.Replace(string(content), change[0], change[1], 1)
		f, err := readFlow([]byte(planted))
		if err != nil || planted == string(content) {
			t.Errorf("%s: not planted: %v", name, err)
			continue
		}
		if len(f.problems()) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}
