package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func personOn(typed string, agree bool) (*person, *bytes.Buffer) {
	var asked bytes.Buffer
	return newPerson(&environment{Process: Process{Stdin: strings.NewReader(typed), Stderr: &asked}}, agree), &asked
}

func TestConsentIsTyped(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{"RING\n": true, " RING \n": true, "ring\n": false, "yes\n": false, "\n": false} {
		p, asked := personOn(typed, false)
		got, err := p.Consent(t.Context(), 5)
		if err != nil || got != want || !strings.Contains(asked.String(), "at most 5 times") || !strings.Contains(asked.String(), "cents") {
			t.Errorf("%q: %t, %v, asked %q", typed, got, err, asked)
		}
		p.leave()
	}
	p, _ := personOn("", false)
	if _, err := p.Consent(t.Context(), 1); exitOf(err) != ExitEnvironment {
		t.Errorf("nobody there: %v", err)
	}
}

func TestAFlagConsentsToOneBudgetOnly(t *testing.T) {
	t.Parallel()
	p, _ := personOn("no\n", true)
	defer p.leave()
	for n, want := range []bool{true, false} {
		if got, err := p.Consent(t.Context(), 5); err != nil || got != want {
			t.Errorf("consent %d: %t, %v", n+1, got, err)
		}
	}
}

func TestRingsAreCountedByNumber(t *testing.T) {
	t.Parallel()
	p, asked := personOn("once\n-1\n2\nyes\nno\nmaybe\n", false)
	defer p.leave()
	if n, err := p.Rang(t.Context(), "the first call", time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if !strings.Contains(asked.String(), "About the first call: how many times has your telephone rung since 03:00:00 UTC on 29 November? ") {
		t.Errorf("asked %q", asked)
	}
	if _, err := p.Rang(t.Context(), "the first call", time.Time{}); err == nil {
		t.Error("an answer without a number was taken")
	}
}
