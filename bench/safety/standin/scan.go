package standin

import (
	"fmt"
	"strings"
	"unicode"
)

// badExpression is an expression that cannot be read. It is told as a ValidationException.
type badExpression struct{ what string }

// Error implements error.
func (e *badExpression) Error() string { return "Invalid expression: " + e.what }

// tokens takes an expression apart: names with their # or :, and marks.
func tokens(expression string) []string {
	var all []string
	for rest := strings.TrimSpace(expression); rest != ""; rest = strings.TrimSpace(rest) {
		n := 1
		switch {
		case wordRune(rune(rest[0])):
			n = strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
			if n < 0 {
				n = len(rest)
			}
		case strings.HasPrefix(rest, "<=") || strings.HasPrefix(rest, ">=") || strings.HasPrefix(rest, "<>"):
			n = 2
		}
		all = append(all, rest[:n])
		rest = rest[n:]
	}
	return all
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '#' || r == ':'
}

// reader walks over the tokens of one expression.
type reader struct {
	tokens []string
	names  map[string]string // #name -> name
	values item              // :name -> value
}

func (r *reader) peek() string {
	if len(r.tokens) == 0 {
		return ""
	}
	return r.tokens[0]
}

func (r *reader) next() string {
	token := r.peek()
	if token != "" {
		r.tokens = r.tokens[1:]
	}
	return token
}

// takes reports whether the next token is a word or mark, and takes it then.
func (r *reader) takes(token string) bool {
	if !strings.EqualFold(r.peek(), token) {
		return false
	}
	r.next()
	return true
}

func (r *reader) expect(token string) error {
	if got := r.next(); !strings.EqualFold(got, token) {
		return &badExpression{fmt.Sprintf("%q stands where %q is needed", got, token)}
	}
	return nil
}

// path reads the name of an attribute. Paths into documents are not known here: neither side uses one.
func (r *reader) path() (string, error) {
	token := r.next()
	if strings.HasPrefix(token, "#") {
		name, ok := r.names[token]
		if !ok {
			return "", &badExpression{"the name " + token + " is not defined"}
		}
		return name, nil
	}
	if token == "" || !unicode.IsLetter(rune(token[0])) && token[0] != '_' {
		return "", &badExpression{fmt.Sprintf("%q is no attribute", token)}
	}
	return token, nil
}

func (r *reader) done() error {
	if len(r.tokens) > 0 {
		return &badExpression{fmt.Sprintf("%q is left over", r.tokens[0])}
	}
	return nil
}
