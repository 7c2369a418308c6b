package envelope

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// defect is what makes a JSON text unacceptable. The pointer leads to the name or value at fault, as far as it is known.
type defect struct {
	reason  Reason
	pointer string
}

// check reads a text strictly (facts/event-envelopes.md section 5). It returns the value without surrounding space, the first
// defect, and whether the text can still be walked although it has one: duplicates, broken characters and depth leave the
// structure readable, so that the ids of a refused record can be reported.
func check(text []byte) (value []byte, d *defect, readable bool) {
	value = trimSpace(text)
	switch {
	case len(value) == 0:
		return value, &defect{reason: ReasonEmpty}, false
	case bytes.HasPrefix(value, []byte("\xef\xbb\xbf")):
		return value, &defect{reason: ReasonBOM}, false
	}
	if reason := measure(value); reason != "" {
		return value, &defect{reason: reason}, walkable(value)
	}
	if jsontext.Value(value).IsValid() {
		return value, nil, true
	}
	readable = walkable(value)
	return value, classify(value, readable), readable
}

// walkable reports whether the structure is sound when duplicates and broken characters are tolerated.
func walkable(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// classify names the first defect of a text that is not strictly valid.
func classify(text []byte, readable bool) *defect {
	_, err := jsontext.NewDecoder(bytes.NewBuffer(text)).ReadValue() // a buffer is read in place
	if err == nil {
		return &defect{reason: ReasonTrailingData}
	}
	var pointer string
	var offset int64
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		pointer, offset = string(syntactic.JSONPointer), syntactic.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &defect{reason: ReasonDuplicateKey, pointer: pointer}
	case readable && escapeAt(text, offset):
		return &defect{reason: ReasonUnpairedSurrogate, pointer: pointer}
	case readable:
		return &defect{reason: ReasonInvalidUTF8, pointer: pointer}
	case !utf8.Valid(text):
		return &defect{reason: ReasonInvalidUTF8}
	case trailing(text):
		return &defect{reason: ReasonTrailingData}
	default:
		return &defect{reason: ReasonSyntax}
	}
}

// trailing reports whether the text begins with one whole value and goes on after it.
func trailing(text []byte) bool {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := decoder.ReadValue()
	return err == nil
}

func escapeAt(text []byte, offset int64) bool {
	return offset >= 0 && offset < int64(len(text)) && text[offset] == '\\'
}

// maxMembers bounds one object: a strict reader has to remember all its names.
const maxMembers = 4096

// measure counts brackets and members outside strings, so that a deep or wide text costs one short pass and no memory.
func measure(text []byte) Reason {
	depth := 0
	var members [MaxDepth + 1]int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i) - 1
		case '{', '[':
			if depth++; depth > MaxDepth {
				return ReasonDepth
			}
			members[depth] = 0
		case '}', ']':
			depth = max(depth-1, 0)
		case ':':
			if members[depth]++; members[depth] > maxMembers {
				return ReasonTooLarge
			}
		}
	}
	return ""
}

// field turns a JSON pointer into the dotted form of the corpus, relative to base.
func (d *defect) field(base string) string {
	relative, ok := strings.CutPrefix(d.pointer, base)
	if !ok || relative == "" || relative[0] != '/' {
		return ""
	}
	dotted := strings.ReplaceAll(relative[1:], "/", ".")
	return strings.ReplaceAll(strings.ReplaceAll(dotted, "~1", "/"), "~0", "~")
}
