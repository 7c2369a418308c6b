package connectemu

import (
	"fmt"
	"strings"
)

// parseWord finds text in the words of an enumeration; what names the enumeration in the error. Upper and lower case are the
// same.
func parseWord[T ~int](what string, words []string, text string) (T, error) {
	for i, word := range words {
		if strings.EqualFold(word, text) {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("connectemu: %s %q is unknown: use one of %s", what, text, strings.Join(words, ", "))
}

// word returns the word of v, or the type of enumeration with the number when v is out of range.
func word[T ~int](what string, words []string, v T) string {
	if int(v) < 0 || int(v) >= len(words) {
		return fmt.Sprintf("%s(%d)", what, int(v))
	}
	return words[v]
}

// checkWord returns an error when v is not a value of its enumeration.
func checkWord[T ~int](what string, words []string, v T) error {
	if int(v) < 0 || int(v) >= len(words) {
		return fmt.Errorf("connectemu: %s %d is unknown: use one of %s", what, int(v), strings.Join(words, ", "))
	}
	return nil
}
