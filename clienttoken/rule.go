package clienttoken

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Repeat says what an AWS operation does with a second request that carries the same token and the same parameters.
type Repeat string

// The kinds of repeats.
const (
	RepeatSame         Repeat = "same"         // one effect; the answer is that of the first request or about it
	RepeatIgnored      Repeat = "ignored"      // one effect; the answer need not carry the result
	RepeatRefused      Repeat = "refused"      // one effect; an error says that it exists
	RepeatNatural      Repeat = "natural"      // no token, and none is needed: twice is once
	RepeatAgain        Repeat = "again"        // no token: every request has an effect
	RepeatUnsuitable   Repeat = "unsuitable"   // the parameter looks like a token and is none
	RepeatUndocumented Repeat = "undocumented" // there is a token, and nobody says what a repeat does
)

// Mismatch says what an AWS operation does with the same token and other parameters.
type Mismatch string

// The kinds of mismatches.
const (
	MismatchError        Mismatch = "error"        // an error, and no second effect
	MismatchIgnored      Mismatch = "ignored"      // accepted, without effect and without a word
	MismatchNone         Mismatch = "none"         // there is no token to mismatch
	MismatchUndocumented Mismatch = "undocumented" // errors that are listed may be meant for it
)

// Rule is what AWS says of the idempotency token of one operation. What it does not say is empty, zero or undocumented: it is never
// guessed.
type Rule struct {
	Service   string // as the AWS CLI names it: connect, ec2, stepfunctions
	Operation string // as the API reference names it: StartOutboundVoiceContact
	Parameter string // the member of the request, with the list that holds it: Entries[].MessageDeduplicationId; empty when there is none
	Required  bool
	Min, Max  int    // length in characters; zero when not stated
	Pattern   string // a regular expression for the whole token; empty when not stated
	// AutoFilled reports whether the AWS SDKs fill an absent token with a random one, which protects only the retries inside one call of
	// the client.
	AutoFilled bool
	Validity   time.Duration // how long a token is remembered; zero when not stated
	Scope      string        // where it must be unique; empty when not stated
	Repeat     Repeat
	Mismatch   Mismatch
	Errors     []string // names of the errors that belong to the token
	Note       string   // what a reader must know beside the columns; empty as a rule
	Source     string   // where all of this was read

	pattern *regexp.Regexp
	like    string // the operation that the token is made for: a batch shares the tokens of its single form
}

// For returns the rule of an operation, or an *Error with CodeOperationUnknown. Case does not matter, and the names of the packages of
// aws-sdk-go-v2 are known too (sfn, chimesdkvoice).
func For(service, operation string) (Rule, error) {
	name := canonical(service)
	for _, r := range rules() {
		if (r.Service == name || r.goPackage() == name) && strings.EqualFold(r.Operation, operation) {
			return r.copied(), nil
		}
	}
	return Rule{}, fail(CodeOperationUnknown, fieldOperation, "nothing is known about the operation "+printable(service)+" "+printable(operation),
		"look for its idempotency parameter in the API reference, or keep a record of your own")
}

// Rules returns every rule, ordered by service and, within one, as the API reference groups them.
func Rules() []Rule {
	list := slices.Clone(rules())
	for i := range list {
		list[i] = list[i].copied()
	}
	return list
}

// copied returns the rule without anything that it shares with the data of this package.
func (r Rule) copied() Rule {
	r.Errors = slices.Clone(r.Errors)
	return r
}

// canonical returns the name under which a service is listed.
func canonical(service string) string {
	switch service = strings.ToLower(service); service {
	case "states":
		return "stepfunctions"
	case "events":
		return "eventbridge"
	}
	return service
}

// goPackage returns the name of the service's package in aws-sdk-go-v2.
func (r Rule) goPackage() string {
	if r.Service == "stepfunctions" {
		return "sfn"
	}
	return strings.ReplaceAll(r.Service, "-", "")
}

// printable shortens a name that a person gave, for an error.
func printable(name string) string {
	const most = 64
	if len(name) > most {
		name = name[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, name)
}

// Takes reports whether a value is a legal token of the operation.
func (r Rule) Takes(token string) bool {
	n := utf8.RuneCountInString(token)
	return r.Usable() && utf8.ValidString(token) && n > 0 && n >= r.Min && (r.Max == 0 || n <= r.Max) && (r.pattern == nil || r.pattern.MatchString(token))
}

// Usable reports whether a token of the operation can prevent a second effect.
func (r Rule) Usable() bool {
	switch r.Repeat {
	case RepeatSame, RepeatIgnored, RepeatRefused, RepeatUndocumented:
		return true
	case RepeatNatural, RepeatAgain, RepeatUnsuitable:
		return false
	}
	return false
}

// Advice says in one or two sentences what to rely on.
func (r Rule) Advice() string {
	advice := map[Repeat]string{
		RepeatSame:         "Send the derived token with every attempt: a repeat answers like the first request.",
		RepeatIgnored:      "Send the derived token with every attempt: a repeat has no effect. Keep the first answer, since a repeat need not bring it again.",
		RepeatRefused:      "Send the derived token with every attempt, and take the error of a repeat as the answer that it was done.",
		RepeatNatural:      "Nothing is needed: a repeat has no further effect.",
		RepeatAgain:        "There is no token. Record the intent before the request and its answer after it, and never repeat a request whose answer was lost without looking for its effect.",
		RepeatUnsuitable:   "There is no token; the parameter of that look does something else. Record the intent before the request and its answer after it.",
		RepeatUndocumented: "Send the derived token, and do not rely on it: what a repeat does is not documented. Record the intent, and look for the effect before a repeat.",
	}[r.Repeat]
	if r.Repeat == RepeatRefused && r.Mismatch == MismatchError {
		advice += " Other parameters get the same error: compare what exists with what you asked for."
	}
	if r.Validity > 0 && r.Usable() {
		advice += " The token is remembered for " + span(r.Validity) + "; later repeats need a record of your own."
	}
	if r.Note != "" {
		advice += " " + r.Note
	}
	return advice
}
