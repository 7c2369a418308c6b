package measure

import (
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/doctor"
)

// Verdict is what the evidence shows.
type Verdict struct {
	Reading string   `json:"reading"` // A1, A1', or empty while it is undecided
	Resend  string   `json:"resend"`  // the policies that are right under it
	Final   bool     `json:"final"`   // no step is left that could change it
	Because []string `json:"because"`
}

// initiationSlack is how far the clocks of this machine and of Amazon Connect may be apart when a contact is dated.
const initiationSlack = 15 * time.Minute

// Judge says which reading the evidence shows. A1 takes every step of the chain: the first call was heard and had ended, and each repeat
// returned its contact in silence. A1' takes one contact that was started by a repeat. Everything else is undecided, and so is evidence
// that contradicts itself.
func Judge(s State) Verdict {
	v := Verdict{Resend: "never (safe under both readings), until it is decided"}
	c := s.Chain
	if c.Contact == "" || c.Heard == "" {
		return v.add("The first call has not been placed, or nobody has said whether it was heard.")
	}
	silent := map[time.Duration]bool{}
	for _, r := range c.Repeats {
		after := span(r.After)
		switch {
		case r.Code != "":
			v.Final = true
			return v.add("After %s the repeat was refused (%s), which neither reading foresees.", after, r.Code)
		case r.Heard == "":
			return v.add("After %s the token was sent again, and nobody has said whether the telephone rang.", after)
		case r.Contact != c.Contact:
			return v.another(r, after)
		case r.Heard == HeardRing:
			v.Final = true
			return v.add("After %s the old contact came back and yet the telephone rang: the evidence contradicts itself. Measure again with a fresh state file.", after)
		case c.Ended.IsZero() || !c.Ended.Before(r.At):
			return v.add("After %s the old contact came back, but it may not have ended by then.", after)
		}
		silent[r.After] = true
		v = v.add("After %s the old contact came back and the telephone stayed silent.", after)
	}
	for _, after := range repeatsAfter {
		if !silent[after] {
			return v.add("The repeat after %s is still to come.", span(after))
		}
	}
	v.Final = true
	if c.Heard != HeardRing {
		return v.add("The first call was not heard either, so silence proves nothing. Measure again with a fresh state file.")
	}
	v.Reading, v.Resend = doctor.ReadingA1, "token"
	return v
}

// another judges a repeat that was answered with another contact.
func (v Verdict) another(r Repeat, after string) Verdict {
	v.Final = true
	begun := !r.Initiated.IsZero() && r.Initiated.Sub(r.At).Abs() <= initiationSlack
	if !begun && (r.Heard != HeardRing || !r.Initiated.IsZero()) {
		return v.add("After %s another contact came back, which was not begun by the repeat as far as can be seen.", after)
	}
	v.Reading, v.Resend = doctor.ReadingA1Prime, "never, or evidence"
	if r.Heard == HeardRing {
		return v.add("After %s another contact was started and the telephone rang.", after)
	}
	return v.add("After %s another contact was started; the telephone was not heard, but a contact that dials is a ring.", after)
}

func (v Verdict) add(format string, args ...any) Verdict {
	v.Because = append(slices.Clip(v.Because), fmt.Sprintf(format, args...))
	return v
}

// span writes a duration as the steps are spoken of.
func span(d time.Duration) string {
	switch {
	case d >= 24*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
