package call

import "slices"

// CheckTruth compares a ledger with the rings that really happened, by call id (I1, I4, I7 and G5).
func CheckTruth(rows []Call, rings map[string][]string) []Breach {
	var f findings
	byID := map[string]Call{}
	for _, c := range rows {
		byID[c.ID] = c
		f.row = c.ID
		if c.State == Placed && c.ContactFrom != "person" {
			f.check(slices.Contains(rings[c.ID], c.ContactID), "I4", "its contact id is not known at Amazon Connect")
		}
	}
	for id, contacts := range rings {
		f.row = id
		c, known := byID[id]
		f.check(known, "I7", "a phone rang for a call that is not in the ledger")
		f.check(len(contacts) <= 1, "I1", "%d rings for one call", len(contacts))
		if known {
			f.check(c.State != Failed && c.State != Expired && c.State != Canceled, "I3", "the ledger says %s, the phone rang", c.State)
			f.check(c.AttemptCount > 0 || c.phantom(), "I2", "a phone rang without a durable intent")
		}
	}
	return f.found
}
