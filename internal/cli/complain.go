package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// complain prints an error as one line: what is wrong and what to do.
func complain(w io.Writer, err error) {
	if _, silent := errors.AsType[ended](err); silent || err == nil {
		return
	}
	fmt.Fprintln(w, "ringonce:", oneLine(sentenceOf(err)))
}

func sentenceOf(err error) string {
	if e, ok := errors.AsType[*call.Error](err); ok {
		return joinSentences(e.Message, e.Fix)
	}
	if e, ok := errors.AsType[*clienttoken.Error](err); ok {
		return joinSentences(e.Message, e.Fix)
	}
	if e, ok := errors.AsType[*complaint](err); ok {
		return joinSentences(e.message, e.fix)
	}
	if e, ok := errors.AsType[*kong.ParseError](err); ok {
		return joinSentences(e.Error(), "Run "+commandOf(e)+" --help.")
	}
	if errors.Is(err, context.Canceled) {
		return "Interrupted."
	}
	return joinSentences(err.Error())
}

// commandOf names the command whose help explains a mistake.
func commandOf(e *kong.ParseError) string {
	name := "ringonce"
	if e.Context == nil {
		return name
	}
	for _, step := range e.Context.Path {
		if step.Command != nil {
			name += " " + step.Command.Name
		}
	}
	return name
}

// joinSentences begins each part with a capital letter and ends it with a period. A part that begins with a name as it is written
// in a file or a command keeps its small letter.
func joinSentences(parts ...string) string {
	var said []string
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(part)
		if plainWord(strings.Fields(part)[0]) {
			part = string(unicode.ToUpper(first)) + part[size:]
		}
		if !strings.HasSuffix(part, ".") && !strings.HasSuffix(part, "?") {
			part += "."
		}
		said = append(said, part)
	}
	return strings.Join(said, " ")
}

func plainWord(word string) bool {
	for _, r := range word {
		if !unicode.IsLower(r) {
			return false
		}
	}
	return word != ""
}

// oneLine keeps an error that some library spread over lines on one.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
