package envelope

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// maxMappedText bounds what a function makes: an attribute is at most half of it.
const maxMappedText = 64 << 10

// function is a function of mappings, under its name and with its meaning in JMESPath Community.
type function struct {
	least, most int // arguments
	call        func(ev *evaluation, arguments []found) (found, error)
}

// functions are those that mappings have. None of them makes more than it was given, or more than maxMappedText.
var functions map[string]function

func init() { // in a declaration the functions would depend on themselves, by way of evaluate
	functions = map[string]function{
		"contains":    {2, 2, (*evaluation).contains},
		"ends_with":   {2, 2, ofTexts(func(t []string) found { return truth(strings.HasSuffix(t[0], t[1])) })},
		"join":        {2, 2, (*evaluation).join},
		"lower":       {1, 1, ofTexts(func(t []string) found { return text(strings.ToLower(t[0])) })},
		"not_null":    {1, maxExpressionNodes, notNull},
		"split":       {2, 2, (*evaluation).split},
		"starts_with": {2, 2, ofTexts(func(t []string) found { return truth(strings.HasPrefix(t[0], t[1])) })},
		"to_string":   {1, 1, toString},
		"upper":       {1, 1, ofTexts(func(t []string) found { return text(strings.ToUpper(t[0])) })},
	}
}

var (
	errNotText  = errors.New("calls a function with something that is no string")
	errLongText = errors.New("makes a string of more than 64 KiB")
	errNoDigits = errors.New("calls to_string with something that is neither a string nor a whole number below 2^53")
)

// texts returns the contents of strings.
func (ev *evaluation) texts(arguments []found) ([]string, error) {
	list := make([]string, len(arguments))
	size := 0
	for i, a := range arguments {
		if a.isList || !a.value.isString() {
			return nil, errNotText
		}
		if err := ev.pay(len(a.value)); err != nil {
			return nil, err
		}
		if size += len(a.value); size > maxMappedText {
			return nil, errLongText
		}
		list[i] = a.value.text()
	}
	return list, nil
}

func ofTexts(f func([]string) found) func(*evaluation, []found) (found, error) {
	return func(ev *evaluation, arguments []found) (found, error) {
		list, err := ev.texts(arguments)
		if err != nil {
			return found{}, err
		}
		return f(list), nil
	}
}

func notNull(_ *evaluation, arguments []found) (found, error) {
	for _, a := range arguments {
		if !a.nothing() {
			return a, nil
		}
	}
	return found{}, nil
}

// toString gives a whole number digit for digit, and nothing for nothing: JMESPath's own would make the text null of it, and with that a key. Everything that readers of JSON may read differently is refused: fractions, exponents and
// what no float64 holds.
func toString(_ *evaluation, arguments []found) (found, error) {
	a := arguments[0]
	if a.nothing() || !a.isList && a.value.isString() {
		return a, nil
	}
	if n, ok := a.number(); !ok || n == 0 && a.value[0] == '-' || bytes.ContainsAny(a.value, ".eE") {
		return found{}, errNoDigits
	}
	return text(string(a.value)), nil
}

func (ev *evaluation) join(arguments []found) (found, error) {
	list, isList, err := ev.elements(arguments[1])
	if err != nil {
		return found{}, err
	}
	if !isList {
		return found{}, errNotText
	}
	all, err := ev.texts(append(slices.Clip(list), arguments[0]))
	if err != nil {
		return found{}, err
	}
	glue := all[len(list)]
	if len(glue)*len(list) > maxMappedText {
		return found{}, errLongText
	}
	return text(strings.Join(all[:len(list)], glue)), nil
}

func (ev *evaluation) split(arguments []found) (found, error) {
	t, err := ev.texts(arguments)
	if err != nil {
		return found{}, err
	}
	if t[1] == "" {
		return found{}, errors.New("splits at an empty string")
	}
	parts := strings.SplitN(t[0], t[1], maxMappedElements+1)
	if len(parts) > maxMappedElements {
		return found{}, errWide
	}
	list := make([]found, len(parts))
	for i, part := range parts {
		list[i] = text(part)
	}
	return found{list: list, isList: true}, nil
}

// contains looks for a string in a string, or for a scalar in a list.
func (ev *evaluation) contains(arguments []found) (found, error) {
	list, isList, err := ev.elements(arguments[0])
	if err != nil {
		return found{}, err
	}
	if !isList {
		t, err := ev.texts(arguments)
		if err != nil {
			return found{}, err
		}
		return truth(strings.Contains(t[0], t[1])), nil
	}
	for _, element := range list {
		if err := ev.pay(len(element.value) + len(arguments[1].value)); err != nil {
			return found{}, err
		}
		if same, comparable := equal(element, arguments[1]); same && comparable {
			return truth(true), nil
		}
	}
	return truth(false), nil
}
