package httpapi

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/ogen-go/ogen/validate"
)

// unfit says which field of a body does not fit the document. It repeats names and no values, and of names only what can be no number and no text of somebody.
func unfit(err error, raw []byte) string {
	if len(raw) == 0 {
		return "The body is missing."
	}
	if !json.Valid(raw) {
		return "The body is not JSON."
	}
	if name, why := invalidField(err); plainPath.MatchString(name) {
		if errors.Is(why, validate.ErrFieldRequired) {
			return "The field " + name + " is missing."
		}
		return "The field " + name + " holds a value that is not allowed."
	}
	text := err.Error()
	if unknown := unexpectedField.FindStringSubmatch(text); unknown != nil {
		return "The field " + unknown[1] + " is not in the document."
	}
	if path := decodedField.FindAllStringSubmatch(text, -1); path != nil {
		var names []string
		for _, name := range path {
			names = append(names, name[1])
		}
		return "The field " + strings.Join(names, ".") + " holds a value that is not allowed."
	}
	return "The body does not fit the document."
}

// The words of the generated decoders for a field, and what a validator's path of one may be: a key of a map could be anything.
var (
	plainPath       = regexp.MustCompile(`^[A-Za-z]{1,40}(\[\d{1,4}\])?(\.[A-Za-z]{1,40}(\[\d{1,4}\])?)*$`)
	unexpectedField = regexp.MustCompile(`unexpected field "([A-Za-z]{1,40})"`)
	decodedField    = regexp.MustCompile(`decode field "([A-Za-z]{1,40})"`)
)

// invalidField returns the path of the first field that a validator refuses, and why.
func invalidField(err error) (name string, why error) {
	for {
		invalid, ok := errors.AsType[*validate.Error](err)
		if !ok || len(invalid.Fields) == 0 {
			return strings.ReplaceAll(strings.TrimPrefix(name, "."), ".[", "["), err
		}
		name, err = name+"."+invalid.Fields[0].Name, invalid.Fields[0].Error
	}
}
