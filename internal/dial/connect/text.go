package connect

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/call"
)

// The faults of a text with placeholders.
var (
	errTextUTF8  = errors.New("is not valid UTF-8")
	errTextBrace = errors.New("has a brace that belongs to no placeholder")
)

// CheckText returns what is wrong with a text that people read and in which {name} stands for an attribute of the request; nil when
// nothing is.
func CheckText(text string) error {
	if !utf8.ValidString(text) {
		return errTextUTF8
	}
	_, err := fill(text, func(string) (string, bool) { return "", true })
	return err
}

// fill replaces the placeholders of a text in one pass, so that a value with braces stays as it is.
func fill(text string, value func(name string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		name, rest, closed := strings.Cut(text[i+1:], "}")
		if text[i] == '}' || !closed || checkAttribute(name, "") != nil {
			return "", errTextBrace
		}
		v, ok := value(name)
		if !ok {
			return "", refuse(call.CodeFieldMissing, "attributes."+name, "Send it, or take it out of the profile's text.",
				"The field attributes.%s is missing, and the profile writes it into what people read.", name)
		}
		b.WriteString(text[:i])
		b.WriteString(v)
		text = rest
	}
}

// appendText appends the member for a text of the profile, filled from the order's attributes, if it has one. Its length, in characters, is
// the API's: 1 to most.
func appendText(b []byte, o call.Order, setting, member, text string, most int) ([]byte, error) {
	value, err := filled(o, setting, text, most)
	if err != nil || text == "" {
		return b, err
	}
	return appendMember(b, member, value), nil
}

// filled returns a text of the profile as the contact gets it.
func filled(o call.Order, setting, text string, most int) (string, error) {
	field := "profiles." + o.Profile.Name + "." + setting
	if err := CheckText(text); err != nil {
		return "", refuse(call.CodeConfiguration, field, "Write {name} for an attribute of the request.", "The setting %s %v.", field, err)
	}
	value, err := fill(text, func(name string) (string, bool) {
		v, ok := o.Attributes[name]
		return v, ok
	})
	if err != nil {
		return "", err
	}
	if n := utf8.RuneCountInString(value); text != "" && (n < 1 || n > most || !utf8.ValidString(value)) {
		return "", refuse(call.CodeFieldValue, "attributes", "Send other attributes, or change the profile's text.",
			"The setting %s gives a text of %d characters; Amazon Connect takes 1 to %d.", field, n, most)
	}
	return value, nil
}
