package connectemu

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParsePlan reads the text form of [Plan.String]. Rules end at a semicolon or at the end of a line, # begins a comment, values
// with spaces are quoted as in Go. Errors wrap [ErrConfig] and name the rule.
func ParsePlan(text string) (Plan, error) {
	var plan Plan
	lines, err := splitRules(text)
	if err != nil {
		return Plan{}, fmt.Errorf("%w: fault plan: %w", ErrConfig, err)
	}
	for _, words := range lines {
		if seed, ok := strings.CutPrefix(words[0], "seed="); ok && len(words) == 1 {
			if plan.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
				return Plan{}, fmt.Errorf("%w: fault plan: seed %q is not a whole number of 64 bits", ErrConfig, seed)
			}
			continue
		}
		if err := plan.add(words); err != nil {
			return Plan{}, fmt.Errorf("%w: fault rule %d: %w", ErrConfig, len(plan.Rules)+len(plan.Events)+1, err)
		}
	}
	return plan, nil
}

// add reads one rule, about requests or about events.
func (p *Plan) add(words []string) error {
	name, _, _ := strings.Cut(words[0], "(")
	if fault, err := parseWord[EventFault]("fault", eventFaultWords, name); err == nil {
		rule, err := parseEventRule(fault, words)
		if err == nil {
			p.Events = append(p.Events, rule)
		}
		return err
	}
	rule, err := parseRule(words)
	if err == nil {
		p.Rules = append(p.Rules, rule)
	}
	return err
}

// splitRules cuts text into rules and each rule into words, quotation marks resolved. No rule is without words.
func splitRules(text string) ([][]string, error) {
	var rules [][]string
	var words []string
	var current strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, current.String())
			current.Reset()
			inWord = false
		}
	}
	endRule := func() {
		endWord()
		if words != nil {
			rules = append(rules, words)
			words = nil
		}
	}
	for len(text) > 0 {
		switch c := text[0]; c {
		case ';', '\n', '\r':
			endRule()
		case ' ', '\t':
			endWord()
		case '#':
			end := strings.IndexByte(text, '\n')
			if end < 0 {
				end = len(text)
			}
			text = text[end:]
			continue
		case '"':
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, errors.New("a quotation mark is not closed: add the second one")
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("quoted value %s cannot be read: %w", quoted, err)
			}
			current.WriteString(value)
			inWord = true
			text = text[len(quoted):]
			continue
		default:
			current.WriteByte(c)
			inWord = true
		}
		text = text[1:]
	}
	endRule()
	return rules, nil
}

func parseRule(words []string) (Rule, error) {
	var rule Rule
	name, _, _ := strings.Cut(words[0], "(")
	fault, err := parseWord[Fault]("fault", slices.Concat(faultWords, eventFaultWords), name) // the error names both
	if err != nil {
		return Rule{}, err
	}
	rule.Fault = fault
	if err := readRule(words, "op, number, token, nth, times or p", rule.setArgument, rule.set); err != nil {
		return Rule{}, err
	}
	return rule, rule.check()
}

// readRule reads what both kinds of rules have: an argument in parentheses behind the fault, and name=value words, of which the names are known.
func readRule(words []string, known string, setArgument func(string) error, set func(key, value string) error) error {
	if name, argument, has := strings.Cut(words[0], "("); has {
		argument, closed := strings.CutSuffix(argument, ")")
		if !closed {
			return fmt.Errorf("%q has no closing parenthesis: write %s(...)", words[0], name)
		}
		if err := setArgument(argument); err != nil {
			return err
		}
	}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return fmt.Errorf("%q is not name=value: use %s", w, known)
		}
		if err := set(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) setArgument(argument string) (err error) {
	if !r.Fault.takesDelay() {
		r.Code = argument
		return nil
	}
	if r.Delay, err = time.ParseDuration(argument); err != nil {
		return fmt.Errorf("delay %q is not a duration: write it like 20s", argument)
	}
	return nil
}

func (r *Rule) set(key, value string) (err error) {
	switch key {
	case "op":
		r.Operation = Operation(value)
	case "number":
		r.Number = value
	case "token":
		r.Token = value
	case "nth":
		r.Nth, err = strconv.Atoi(value)
	case "times":
		r.Times, err = strconv.Atoi(value)
	case "p":
		r.Probability, err = strconv.ParseFloat(value, 64)
	default:
		return fmt.Errorf("%q is unknown: use op, number, token, nth, times or p", key)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not a number", key, value)
	}
	return nil
}
