package call

import (
	"slices"
	"time"
)

// NoteSlack is how much earlier than one before it in a list of notes a note may be, where the list is in the order in which they were kept: several
// processes keep them, by clocks of their own.
const NoteSlack = time.Hour

// NoteFilter chooses notes of a list. Zero members do not restrict. A cursor is good for the filter that it came from.
type NoteFilter struct {
	Kinds     []NoteKind
	KeySpaces []string  // of the keys of the notes' rows ([InSpaces])
	Since     time.Time // notes of then or later
	Until     time.Time // notes of before
	Limit     int       // 0 means 100
	Cursor    string    // from the page before

	// Keep chooses among the notes that the other members choose. It decides of a note and its row alone, and takes no part in the cursor.
	Keep func(RowNote) bool
}

// RowNote is a note with the row that it stands beside, as that is when the list is read.
type RowNote struct {
	Note Note
	Row  Call
}

// Asks reports whether a note may be chosen, whatever its row is, so that the row has to be looked at.
func (f NoteFilter) Asks(n Note) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, n.Kind)) && !n.At.Before(f.Since) && (f.Until.IsZero() || n.At.Before(f.Until))
}

// Has reports whether a note is what the filter chooses. A note of a forgotten row is nobody's.
func (f NoteFilter) Has(n RowNote) bool {
	return f.Asks(n.Note) && !n.Row.IsForgotten() && (len(f.KeySpaces) == 0 || slices.Contains(f.KeySpaces, n.Row.Key.KeySpace)) && (f.Keep == nil || f.Keep(n))
}

// Ends reports whether a list in the order in which its notes were kept is over at a note, because it and those behind it are older than all that is asked for.
func (f NoteFilter) Ends(n Note) bool {
	return !f.Since.IsZero() && n.At.Before(f.Since.Add(-NoteSlack))
}
