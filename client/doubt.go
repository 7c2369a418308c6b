package client

import "time"

// Doubt is what is known about one doubt, also one that was closed.
type Doubt struct {
	Call      Call       `json:"call"`
	Sentence  string     `json:"sentence"` // what the state means
	Since     time.Time  `json:"since"`
	Code      string     `json:"code"` // why it came to be in doubt
	Why       string     `json:"why"`
	Looks     int        `json:"looks"`     // looks for evidence that found nothing
	NextLook  time.Time  `json:"nextLook"`  // zero when no look is planned
	SettledAt time.Time  `json:"settledAt"` // when no dial of it can be accepted any more
	Attempts  []Attempt  `json:"attempts"`
	Evidence  []Evidence `json:"evidence"`
	Notes     []Line     `json:"notes"`  // what persons wrote; they decide nothing
	Closed    *DoubtEnd  `json:"closed"` // nil while it is open
	Rings     []Ring     `json:"rings"`
}

// Evidence is one source that can decide a doubt.
type Evidence struct {
	Source   string    `json:"source"` // answer, contact_event, search, check_in or person
	SoFar    string    `json:"soFar"`
	Next     string    `json:"next"` // what would decide it, and when it is looked for
	Looks    int       `json:"looks"`
	LastLook time.Time `json:"lastLook"`
	NextLook time.Time `json:"nextLook"`
}

// DoubtEnd is how a doubt was closed.
type DoubtEnd struct {
	At        time.Time `json:"at"`
	State     string    `json:"state"`
	From      string    `json:"from"` // answer, event, search, check-in or person
	ContactID string    `json:"contactId"`
	Actor     string    `json:"actor"`
	Reason    string    `json:"reason"`
}
