package envelope

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// raw is one JSON value inside a text that check found walkable. It aliases the text. The empty raw is an absent member.
type raw []byte

func (r raw) isString() bool { return len(r) > 0 && r[0] == '"' }
func (r raw) isObject() bool { return len(r) > 0 && r[0] == '{' }
func (r raw) isArray() bool  { return len(r) > 0 && r[0] == '[' }
func (r raw) isNull() bool   { return len(r) > 0 && r[0] == 'n' }

// bytes returns the content of a string value, and nil for every other value. It copies only when there are escapes.
func (r raw) bytes() []byte {
	if !r.isString() || len(r) < 2 {
		return nil
	}
	inner := r[1 : len(r)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// An error means a broken character, which the strict check has reported already.
	content, _ := jsontext.AppendUnquote(make([]byte, 0, len(r)), []byte(r))
	return content
}

// text returns the content of a string value, and "" for every other value.
func (r raw) text() string { return string(r.bytes()) }

// is reports whether the value is the string s.
func (r raw) is(s string) bool { return r.isString() && string(r.bytes()) == s }

// member returns the value of the object's member with exactly this name, the first one if there are several.
func (r raw) member(name string) raw {
	for n, value := range r.members() {
		if string(n) == name {
			return value
		}
	}
	return nil
}

// members yields the unescaped names and the raw values of an object, and nothing for every other value.
func (r raw) members() iter.Seq2[[]byte, raw] {
	return func(yield func([]byte, raw) bool) {
		if !r.isObject() {
			return
		}
		for i := skipSpace(r, 1); i < len(r) && r[i] == '"'; {
			end := skipString(r, i)
			name := r[i:end].bytes()
			i = skipSpace(r, end) // the colon
			i = skipSpace(r, i+1) // the value
			end = skipValue(r, i) // what follows it
			if i >= end || !yield(name, r[i:end]) {
				return
			}
			i = skipSpace(r, end) // a comma, or the end
			i = skipSpace(r, i+1) // the next name
		}
	}
}

// elements yields the raw elements of an array, and nothing for every other value.
func (r raw) elements() iter.Seq[raw] {
	return func(yield func(raw) bool) {
		if !r.isArray() {
			return
		}
		for i := skipSpace(r, 1); i < len(r) && r[i] != ']'; {
			end := skipValue(r, i)
			if i >= end || !yield(r[i:end]) {
				return
			}
			i = skipSpace(r, end)
			i = skipSpace(r, i+1)
		}
	}
}

// list returns the elements of an array, at most limit+1 of them.
func (r raw) list(limit int) []raw {
	var all []raw
	for element := range r.elements() {
		if all = append(all, element); len(all) > limit {
			break
		}
	}
	return all
}

// first returns the first element of an array.
func (r raw) first() raw {
	for element := range r.elements() {
		return element
	}
	return nil
}

// count returns the number of elements of an array, at most limit+1.
func (r raw) count(limit int) int {
	n := 0
	for range r.elements() {
		if n++; n > limit {
			break
		}
	}
	return n
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func trimSpace(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// shortString is how far a string is walked byte by byte: most are shorter, and what is longer is searched in larger steps.
const shortString = 48

// skipString returns the index after the string that begins at i.
func skipString(text []byte, i int) int {
	for i++; i < len(text); {
		for end := min(i+shortString, len(text)); i < end; i++ {
			switch text[i] {
			case '"':
				return i + 1
			case '\\':
				i++ // what is escaped ends nothing
			}
		}
		if i >= len(text) {
			break
		}
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			break
		}
		if escape := bytes.IndexByte(text[i:i+quote], '\\'); escape >= 0 {
			i += escape
			continue
		}
		return i + quote + 1
	}
	return len(text)
}

// skipValue returns the index after the value that begins at i.
func skipValue(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			i++
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return len(text)
}
