package demo_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/demo"
)

func run(t *testing.T, o demo.Options) (demo.Verdict, string) {
	t.Helper()
	var out strings.Builder
	o.Dir, o.Log, o.Show = t.TempDir(), slog.New(slog.DiscardHandler), &demo.Screen{Out: &out}
	if o.Reading == "" {
		o.Reading = "A1"
	}
	v, err := demo.Run(context.Background(), o)
	if err != nil {
		t.Fatalf("the demo could not run: %v\n%s", err, out.String())
	}
	return v, out.String()
}

func TestEveryRequestRingsOnce(t *testing.T) {
	t.Parallel()
	for _, resend := range []string{"", "token", "evidence"} {
		v, text := run(t, demo.Options{Resend: resend})
		if !v.Holds() || v.Rings != 13 || v.Requests != 13 || v.InDoubt != 0 {
			t.Errorf("resend %q:\n%s", resend, text)
		}
		if !strings.HasSuffix(text, "rings 13  requests 13  lost 0  doubled 0  in doubt 0\n") {
			t.Errorf("resend %q: the last line is missing:\n%s", resend, text)
		}
	}
}

func TestUnderNeverNothingIsDoubledInEitherReadingAndDoubtsAreListedWithTheirEvidence(t *testing.T) {
	t.Parallel()
	for _, reading := range []string{"A1", "A1'"} {
		v, text := run(t, demo.Options{Reading: reading, Resend: "never"})
		if !v.Holds() || v.Doubled != 0 || v.Lost != 0 || v.InDoubt == 0 {
			t.Errorf("reading %s:\n%s", reading, text)
		}
		if strings.Count(text, "in doubt: ") != v.InDoubt || !strings.Contains(text, "look(s) for evidence") {
			t.Errorf("reading %s: the doubts are not listed with their evidence:\n%s", reading, text)
		}
	}
}

func TestUnderEvidenceNothingIsDoubledInTheOlderReading(t *testing.T) {
	t.Parallel()
	v, text := run(t, demo.Options{Reading: "A1'", Resend: "evidence"})
	if !v.Holds() || v.Rings != 13 {
		t.Errorf("the numbers do not hold:\n%s", text)
	}
}

func TestTheTokenPolicyRingsTwiceInItsOneCornerOfTheOlderReading(t *testing.T) {
	t.Parallel()
	v, text := run(t, demo.Options{Reading: "A1'", Resend: "token"})
	if v.Doubled == 0 || v.Holds() || !strings.Contains(text, "doubled: ") {
		t.Errorf("the corner that design.md section 2 names was not seen:\n%s", text)
	}
}

func TestEachBreakIsSeen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		b             demo.Break
		doubled, lost bool
	}{
		{demo.BreakNoIntent, true, false},
		{demo.BreakRandomToken, true, false},
		{demo.BreakSDKToken, true, false},
		{demo.BreakAckEarly, false, true},
	}
	for _, test := range tests {
		t.Run(string(test.b), func(t *testing.T) {
			t.Parallel()
			v, text := run(t, demo.Options{Break: test.b})
			if v.Holds() || (v.Doubled > 0) != test.doubled || (v.Lost > 0) != test.lost {
				t.Errorf("the defect passed:\n%s", text)
			}
		})
	}
}

func TestOneSeedGivesOneRun(t *testing.T) {
	t.Parallel()
	firstVerdict, first := run(t, demo.Options{Seed: 7})
	secondVerdict, second := run(t, demo.Options{Seed: 7})
	if first != second {
		t.Errorf("two runs of one seed differ:\n%s\n%s", first, second)
	}
	otherVerdict, _ := run(t, demo.Options{Seed: 8})
	for i, line := range firstVerdict.Rows {
		a, b, other := line.Call, secondVerdict.Rows[i].Call, otherVerdict.Rows[i].Call
		if a.ContactID != b.ContactID {
			t.Errorf("%s: two runs of one seed have the contacts %s and %s", line.Subject, a.ContactID, b.ContactID)
		}
		if a.ContactID == other.ContactID && line.Wanted > 0 {
			t.Errorf("%s: two seeds have one contact %s", line.Subject, a.ContactID)
		}
	}
}
