package connectemu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Operation is the name of an operation of the emulated API.
type Operation string

// The operations of the emulator.
const (
	OpStart    Operation = "StartOutboundVoiceContact"
	OpDescribe Operation = "DescribeContact"
	OpStop     Operation = "StopContact"
	OpSearch   Operation = "SearchContacts"

	OpDescribeInstance Operation = "DescribeInstance"
	OpDescribeFlow     Operation = "DescribeContactFlow"
	OpDescribeQueue    Operation = "DescribeQueue"
	OpListNumbers      Operation = "ListPhoneNumbersV2"
	OpListFlows        Operation = "ListContactFlows"

	OpGetAttributes    Operation = "GetContactAttributes"
	OpUpdateAttributes Operation = "UpdateContactAttributes"
	OpTag              Operation = "TagContact"
	OpUntag            Operation = "UntagContact"

	OpStartChat Operation = "StartChatContact"
	OpStartTask Operation = "StartTaskContact"

	// OpAny, in a Rule, is every operation.
	OpAny Operation = "*"
)

// operations lists what the emulator knows.
var operations = []Operation{
	OpStart, OpDescribe, OpStop, OpSearch, OpDescribeInstance, OpDescribeFlow, OpDescribeQueue, OpListNumbers, OpListFlows,
	OpGetAttributes, OpUpdateAttributes, OpTag, OpUntag, OpStartChat, OpStartTask,
}

func operationList() string {
	names := make([]string, len(operations))
	for i, op := range operations {
		names[i] = string(op)
	}
	return strings.Join(names, ", ")
}

// Rule is one line of a [Plan]: a fault and the requests it meets. A rule counts every request that has its operation, number
// and token, also those that another rule took.
type Rule struct {
	Fault Fault
	// Delay belongs to PlaceThenDelay, Slow and ArriveLate, which need it.
	Delay time.Duration
	// Code is the error name of Refuse and Throttle.
	Code string
	// Operation is what the rule applies to; empty means StartOutboundVoiceContact.
	Operation Operation
	// Number and Token restrict the rule to starts with this destination number or client token. Empty means any.
	Number, Token string
	// Nth restricts the rule to the Nth request it counts, from 1. 0 means all of them.
	Nth int
	// Times is how often the rule applies at most. 0 means without end.
	Times int
	// Probability is the chance, above 0 and at most 1, that a request it counts is met; 0 means always. The draw depends on the
	// seed, the rule, the request's number and token and how often the rule has seen these two, so the outcome for one token does
	// not change with the order of other requests.
	Probability float64
}

// Plan is an ordered list of rules: for each request the first rule that applies decides; on each contact event every rule that applies
// acts. The zero Plan has no faults. A plan
// prints itself as one line and [ParsePlan] reads that line back.
type Plan struct {
	// Seed decides the draws of rules with a probability. 0 means the seed of the [Config].
	Seed uint64
	// Rules in the order they are tried.
	Rules []Rule
	// Events are the rules about contact events, which follow the others in the text form.
	Events []EventRule
}

// String returns the text form, for example:
//
//	seed=7; lose-event event=DISCONNECTED p=0.5
//	seed=7; place-then-reset number=+12025550101 nth=1; throttle p=0.25 times=3; place-then-delay(20s) token="a b"
func (p Plan) String() string {
	parts := make([]string, 0, len(p.Rules)+len(p.Events)+1)
	if p.Seed != 0 {
		parts = append(parts, "seed="+strconv.FormatUint(p.Seed, 10))
	}
	for i := range p.Rules {
		parts = append(parts, p.Rules[i].String())
	}
	for i := range p.Events {
		parts = append(parts, p.Events[i].String())
	}
	return strings.Join(parts, "; ")
}

// String returns the text form of one rule, as in [Plan.String].
func (r Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Fault.String())
	if r.Fault.takesDelay() {
		fmt.Fprintf(&b, "(%s)", r.Delay)
	} else if r.Code != "" {
		fmt.Fprintf(&b, "(%s)", r.Code)
	}
	for _, f := range []struct{ key, value string }{{"op", string(r.Operation)}, {"number", r.Number}, {"token", r.Token}} {
		if f.value != "" {
			b.WriteString(" " + f.key + "=" + quoteWord(f.value))
		}
	}
	if r.Nth != 0 {
		fmt.Fprintf(&b, " nth=%d", r.Nth)
	}
	if r.Times != 0 {
		fmt.Fprintf(&b, " times=%d", r.Times)
	}
	if r.Probability != 0 {
		b.WriteString(" p=" + strconv.FormatFloat(r.Probability, 'g', -1, 64))
	}
	return b.String()
}

// quoteWord quotes a value that the scanner would otherwise end too early.
func quoteWord(value string) string {
	for _, r := range value {
		if r <= ' ' || r > '~' || r == '"' || r == ';' || r == '#' {
			return strconv.Quote(value)
		}
	}
	return value
}

// MarshalText returns the form of [Plan.String].
func (p Plan) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is [ParsePlan].
func (p *Plan) UnmarshalText(text []byte) error {
	parsed, err := ParsePlan(string(text))
	if err == nil {
		*p = parsed
	}
	return err
}

func (p Plan) clone() Plan {
	p.Rules, p.Events = slices.Clone(p.Rules), slices.Clone(p.Events)
	return p
}

func (p *Plan) check() error {
	for i := range p.Rules {
		if err := p.Rules[i].check(); err != nil {
			return fmt.Errorf("%w: fault rule %d: %w", ErrConfig, i+1, err)
		}
	}
	for i := range p.Events {
		if err := p.Events[i].check(); err != nil {
			return fmt.Errorf("%w: event rule %d: %w", ErrConfig, i+1, err)
		}
	}
	return nil
}

func (r *Rule) check() error {
	if err := checkWord("fault", faultWords, r.Fault); err != nil {
		return err
	}
	switch {
	case r.Fault.takesDelay() && r.Delay <= 0:
		return fmt.Errorf("%s has no delay: write %s(20s)", r.Fault, r.Fault)
	case !r.Fault.takesDelay() && r.Delay != 0:
		return fmt.Errorf("%s takes no delay: remove it", r.Fault)
	case !r.Fault.takesCode() && r.Code != "":
		return fmt.Errorf("%s takes no error name: remove it", r.Fault)
	case !isErrorName(r.Code):
		return fmt.Errorf("error name %q has characters other than letters and digits: use a name such as %s", r.Code, CodeAccessDenied)
	case r.Operation != "" && r.Operation != OpAny && !slices.Contains(operations, r.Operation):
		return fmt.Errorf("op %q is unknown: use one of %s, or *", r.Operation, operationList())
	case r.Number != "" && !isE164(r.Number):
		return fmt.Errorf("number %s is not E.164: write + and up to 15 digits", maskNumber(r.Number))
	case r.Nth < 0 || r.Times < 0:
		return fmt.Errorf("nth and times cannot be negative: leave them out for every request")
	case !(r.Probability >= 0 && r.Probability <= 1): // also catches NaN
		return fmt.Errorf("p is %v: give a chance above 0 and at most 1", r.Probability)
	}
	return nil
}

func isErrorName(name string) bool {
	for i := range len(name) {
		if b := name[i]; !isDigit(b) && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return true
}
