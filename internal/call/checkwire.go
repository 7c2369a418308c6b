package call

import "time"

// Rang is a ring as Amazon Connect, or what stands for it, knows it.
type Rang struct {
	CallID    string // the attribute ringonceCallId; empty when the profile does not mark its contacts
	ContactID string
	Number    string // in full, wire digits with +
	Token     string
}

// Sent is one wire request as it arrived.
type Sent struct {
	Token     string
	BodyHash  string    // as HashBody makes it
	Signed    time.Time // X-Amz-Date
	Accepted  bool      // it rang, or it was answered with an earlier contact
	ContactID string    // of an accepted one
}

// CheckRings compares a ledger with every ring that really happened: what CheckTruth does, and that a call rang its own number under its own
// token (G4, I14). Rings without a call id are found by token or contact id; one that is not found may belong to a forgotten call, if there are
// any, which has lost both.
func CheckRings(rows []Call, rings []Rang) []Breach {
	var f findings
	owner := ownersOf(rows)
	contacts := map[string]bool{}
	byCall := map[string][]string{}
	for _, r := range rings {
		c, known := owner.of(r.CallID, r.Token, r.ContactID)
		f.row = c.ID
		if !known {
			f.row = r.CallID
			f.check(r.CallID != "" || owner.forgotten, "I7", "a phone rang for no call of the ledger, contact %s", r.ContactID)
		}
		if f.row != "" {
			byCall[f.row] = append(byCall[f.row], r.ContactID)
		}
		f.check(!contacts[r.ContactID], "I14", "contact %s rang twice", r.ContactID)
		contacts[r.ContactID] = true
		if !known || c.IsForgotten() {
			continue
		}
		silent := c.Key.Kind != KindVoice // a chat or a task: a number may be known, and none is called
		f.check(silent || c.Destination == "" || c.Destination == r.Number, "I5", "another number rang than the ledger says")
		f.check(c.Token == r.Token, "I14", "it rang under another client token than its own")
	}
	return append(f.found, CheckTruth(rows, byCall)...)
}

// CheckSends compares a ledger with every wire request that was accepted: it belongs to a call (I2), carries the stored bytes, the same for
// each use of a token (I5), and was signed inside the bounds of the send rule (I6). The rings tell which call a request was for when that call was
// forgotten.
func CheckSends(rows []Call, rings []Rang, sends []Sent) []Breach {
	var f findings
	owner := ownersOf(rows)
	marks := map[string]string{}
	for _, r := range rings {
		marks[r.ContactID] = r.CallID
	}
	bodies := map[string]string{}
	for _, s := range sends {
		if !s.Accepted {
			continue
		}
		body, used := bodies[s.Token]
		c, known := owner.of("", s.Token, s.ContactID)
		if !known {
			c, known = owner.of(marks[s.ContactID], "", "")
		}
		f.row = c.ID
		unmarked := owner.forgotten && marks[s.ContactID] == ""
		f.check(known || unmarked, "I2", "a request was accepted whose client token belongs to no call, contact %s", s.ContactID)
		f.check(!used || body == s.BodyHash, "I5", "one client token carried two bodies")
		bodies[s.Token] = s.BodyHash
		if !known || c.IsForgotten() {
			continue
		}
		f.check(c.PinHash == "" || c.PinHash == s.BodyHash, "I5", "the bytes on the wire are not the stored ones")
		f.check(!s.Signed.Before(c.FirstSigned) && !s.Signed.After(c.FirstSigned.Add(TokenUse)), "I6",
			"signed %s after firstSigned", s.Signed.Sub(c.FirstSigned))
	}
	return f.found
}

// owners finds the call that a ring or a request belongs to.
type owners struct {
	rows                    []Call
	byID, byToken, byPlaced map[string]int
	forgotten               bool // there is a forgotten call
}

func ownersOf(rows []Call) owners {
	o := owners{rows: rows, byID: map[string]int{}, byToken: map[string]int{}, byPlaced: map[string]int{}}
	for i, c := range rows {
		o.byID[c.ID] = i
		o.forgotten = o.forgotten || c.IsForgotten()
		if c.Token != "" {
			o.byToken[c.Token] = i
		}
		if c.ContactID != "" {
			o.byPlaced[c.ContactID] = i
		}
	}
	return o
}

func (o owners) of(id, token, contact string) (Call, bool) {
	if id != "" {
		i, known := o.byID[id]
		if !known {
			return Call{}, false
		}
		return o.rows[i], true
	}
	if i, known := o.byToken[token]; known && token != "" {
		return o.rows[i], true
	}
	if i, known := o.byPlaced[contact]; known && contact != "" {
		return o.rows[i], true
	}
	return Call{}, false
}
