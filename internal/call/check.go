package call

import "fmt"

// Breach is a broken invariant of protocol.md section 13.
type Breach struct {
	Invariant string // I1 to I15
	RowID     string
	Detail    string
}

// String names the invariant, the row and what was found.
func (b Breach) String() string { return b.Invariant + " of " + b.RowID + ": " + b.Detail }

type findings struct {
	row   string
	found []Breach
}

func (f *findings) check(holds bool, invariant, format string, args ...any) {
	if !holds {
		f.found = append(f.found, Breach{Invariant: invariant, RowID: f.row, Detail: fmt.Sprintf(format, args...)})
	}
}

// CheckRow returns the invariants that a row breaks by itself: I3, I4, I5, I12, I15, and the bounds of I6.
func CheckRow(c Call) []Breach {
	f := findings{row: c.ID}
	switch c.State {
	case Failed, Expired, Canceled:
		f.check(len(c.Open) == 0, "I3", "%s with %d attempts open", c.State, len(c.Open))
		f.check(c.ContactID == "", "I3", "%s with a contact id", c.State)
	case Placed:
		f.check(c.ContactID != "", "I4", "placed without a contact id")
	case Received:
		f.check(len(c.Open) == 0, "I2", "received with an open attempt")
	case Dialing:
		f.check(len(c.Open) > 0, "I2", "dialing without an open attempt")
		f.check(!c.FirstSigned.IsZero(), "I6", "an open attempt without firstSigned")
	case InDoubt:
	default:
		f.check(false, "I9", "unknown state %q", c.State)
	}
	f.check(c.Pin == "" || HashBody([]byte(c.Pin)) == c.PinHash, "I5", "the stored bytes fail their hash")
	f.check(c.State.Final() || !c.Due.IsZero(), "I12", "%s and never due", c.State)
	f.check(c.Next == nil || !c.Next.Due.IsZero(), "I12", "an unconfirmed next ring that is never due")
	f.check(c.Turn == nil || !c.Turn.Due.IsZero(), "I12", "an unconfirmed turn that is never due")
	f.check(!c.isFollowed() || c.Followup != "" || !c.Due.IsZero() || c.IsForgotten(), "I12", "%s, and never asked what follows", c.State)
	f.check(!c.Follows || c.Tracked, "I12", "what follows is decided by an end that nobody looks for")
	f.check(!c.IsForgotten() || c.bare(), "I15", "forgotten, and something of its recipient is left or it is not final")
	f.check(len(c.Anomalies) == 0, "I10", "%d contact ids that must not exist", len(c.Anomalies))
	return f.found
}
