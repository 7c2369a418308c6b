package connectemu

import "strings"

// Reading says what a repeated client token does inside its validity.
type Reading int

const (
	// A1 is the text of the API reference today: the token returns the contact it started, whatever became of it.
	A1 Reading = iota
	// A1Prime is the text until June 2021: once the contact has been disconnected, the token starts a new contact.
	A1Prime
)

var readingWords = []string{"A1", "A1'"}

// String returns "A1" or "A1'".
func (r Reading) String() string { return word("Reading", readingWords, r) }

// MarshalText returns the form of [Reading.String].
func (r Reading) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is [ParseReading].
func (r *Reading) UnmarshalText(text []byte) error {
	parsed, err := ParseReading(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// ParseReading understands "A1", "A1'" and "A1Prime", in upper or lower case.
func ParseReading(text string) (Reading, error) {
	if strings.EqualFold(text, "A1Prime") {
		return A1Prime, nil
	}
	return parseWord[Reading]("reading", readingWords, text)
}
