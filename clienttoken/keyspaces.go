package clienttoken

import (
	"slices"
	"strings"
)

// SeparatesKeySpaces reports whether two named key spaces never get one token,
// whatever their ids are, when the names of key spaces hold only characters for which
// inName reports true. Where it is false, one key space can take the token of a
// request of another, which then never rings.
//
// It is true of every recipe but Template. A template separates when {keySpace} is its
// first placeholder and the text right behind it has a character that is in no name and
// is no hexadecimal digit (tokens of further rings are hashes), so that the first such
// character tells where the name ends; or when {keySpace} is the last placeholder, and
// the text right before it has one. A template without {keySpace} gives named key
// spaces no token.
func (m *Maker) SeparatesKeySpaces(inName func(r rune) bool) bool {
	if m.recipe != Template || !m.pattern.has[fieldKeySpace] {
		return true
	}
	forward := m.pattern.segments
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	separator := func(r rune) bool { return !inName(r) && !strings.ContainsRune("0123456789abcdef", r) }
	return endsName(forward, separator) || endsName(backward, separator)
}

// endsName reports whether {keySpace} is the first placeholder and is followed by text with a separator.
func endsName(segments []segment, separator func(r rune) bool) bool {
	i := slices.IndexFunc(segments, func(s segment) bool { return s.placeholder })
	if segments[i].text != fieldKeySpace || i+1 == len(segments) {
		return false
	}
	next := segments[i+1]
	return !next.placeholder && strings.ContainsFunc(next.text, separator)
}
