package call

import (
	"testing"
	"time"
)

func TestWhatRangIsComparedWithItsCall(t *testing.T) {
	t.Parallel()
	row := at(Placed, func(c *Call) { c.Destination = "+819000000001" })
	rang := func(changes ...func(*Rang)) []Rang {
		r := Rang{CallID: row.ID, ContactID: row.ContactID, Number: row.Destination, Token: row.Token}
		for _, change := range changes {
			change(&r)
		}
		return []Rang{r}
	}
	unmarked := rang(func(r *Rang) { r.CallID = "" })
	for name, rings := range map[string][]Rang{"marked": rang(), "found by its token": unmarked} {
		if b := CheckRings([]Call{row}, rings); len(b) > 0 {
			t.Errorf("%s: %v", name, b)
		}
	}
	for _, tc := range []struct {
		name, invariant string
		rings           []Rang
	}{
		{"another number rang", "I5", rang(func(r *Rang) { r.Number = "+819000000002" })},
		{"it rang under another token", "I14", rang(func(r *Rang) { r.Token = "other" })},
		{"it rang twice", "I1", append(rang(), rang(func(r *Rang) { r.ContactID = "second" })...)},
		{"one contact rang twice", "I14", append(rang(), rang()...)},
		{"a call that is not there rang", "I7", append(rang(), Rang{CallID: "other", ContactID: "second"})},
	} {
		expect(t, tc.name, tc.invariant, CheckRings([]Call{row}, tc.rings))
	}
	stranger := []Rang{{ContactID: "second", Token: "other"}}
	if b := CheckRings([]Call{at(InDoubt)}, stranger); len(b) != 1 || b[0].Invariant != "I7" || b[0].RowID != "" {
		t.Errorf("a ring of nobody: %v", b)
	}
	if b := CheckRings([]Call{forgottenRow()}, stranger); len(b) > 0 {
		t.Errorf("a forgotten call has lost its token, so the ring may be its own: %v", b)
	}
}

func TestWhatWasSentIsComparedWithItsCall(t *testing.T) {
	t.Parallel()
	row := at(Placed)
	sent := func(changes ...func(*Sent)) []Sent {
		s := Sent{Token: row.Token, BodyHash: row.PinHash, Signed: row.FirstSigned, Accepted: true, ContactID: row.ContactID}
		for _, change := range changes {
			change(&s)
		}
		return []Sent{s}
	}
	if b := CheckSends([]Call{row}, nil, append(sent(), sent(func(s *Sent) { s.Token, s.ContactID, s.Accepted = "nobody's", "", false })...)); len(b) > 0 {
		t.Errorf("clean: %v", b)
	}
	for _, tc := range []struct {
		name, invariant string
		sends           []Sent
	}{
		{"other bytes than the stored ones", "I5", sent(func(s *Sent) { s.BodyHash = "other" })},
		{"signed before firstSigned (N12)", "I6", sent(func(s *Sent) { s.Signed = s.Signed.Add(-time.Second) })},
		{"signed too late (N9)", "I6", sent(func(s *Sent) { s.Signed = s.Signed.Add(TokenUse + time.Second) })},
	} {
		expect(t, tc.name, tc.invariant, CheckSends([]Call{row}, nil, tc.sends))
	}
	two := append(sent(), sent(func(s *Sent) { s.BodyHash = "other" })...)
	if b := CheckSends([]Call{at(Placed, func(c *Call) { c.PinHash = "" })}, nil, two); len(b) != 1 || b[0].Invariant != "I5" {
		t.Errorf("one token with two bodies: %v", b)
	}
	foreign := sent(func(s *Sent) { s.Token, s.ContactID = "other", "second" })
	if b := CheckSends([]Call{row}, nil, foreign); len(b) != 1 || b[0].Invariant != "I2" {
		t.Errorf("a token of nobody: %v", b)
	}
	forgotten := forgottenRow()
	if b := CheckSends([]Call{forgotten}, []Rang{{CallID: forgotten.ID, ContactID: "second"}}, foreign); len(b) > 0 {
		t.Errorf("the ring tells that it was a forgotten call: %v", b)
	}
	if b := CheckSends([]Call{forgotten}, []Rang{{CallID: "other", ContactID: "second"}}, foreign); len(b) != 1 {
		t.Errorf("the ring tells that it was another call: %v", b)
	}
}

func forgottenRow() Call {
	left := at(InDoubt).residue("", noon)
	left.ID, left.Version = "row", 7
	return left
}
