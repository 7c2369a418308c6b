package envelope

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/ringonce/ringonce/internal/call"
)

// IsSweep reports whether the record triggers a sweep. A trigger that was given up on its way is recognized and triggers none.
func (r Record) IsSweep() bool { return r.trigger }

// Text writes the record for a person: nesting, extraction, identity, evidence of age, and the reason of a refusal with its
// fix. The phone number is masked, and what the document chose freely is printed without control characters. The error is the
// writer's.
func Text(w io.Writer, file string, r Record) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-17s %s\n", name, fmt.Sprintf(format, args...))
	}
	title := string(r.Verdict)
	if r.Reason != "" {
		title += " " + string(r.Reason)
	}
	fmt.Fprintf(&b, "%s %s: %s\n", plain(file), plain(orDash(r.Path)), title)
	line("nesting", "%s", plain(orDash(strings.Join(r.Nesting, " > "))))
	line("payload at", "%s", plain(orDash(r.PayloadAt)))
	if r.Verdict != VerdictOK {
		line("why", "%s", plain(r.Message))
		line("what to do", "%s", plain(r.Fix))
	} else {
		textRequest(line, r.Delivery.Request)
	}
	textMapping(line, r)
	if r.Contact != nil {
		line("contact", "%s %s %s", plain(r.Contact.ContactID), plain(r.Contact.EventType), plain(r.Contact.DisconnectReason))
	}
	for _, id := range r.Identity.All {
		line("id", "%s %s", id.Kind, plain(id.Value))
	}
	textEvidence(line, r)
	_, err := io.WriteString(w, b.String())
	return err
}

func textRequest(line func(string, string, ...any), q call.Request) {
	fields := []struct{ name, value string }{
		{"action", string(q.Action)},
		{"notificationId", q.NotificationID},
		{"recipientId", q.RecipientID},
		{"destination", q.Destination.String()},
		{"recallId", q.RecallID},
		{"clientToken", q.ClientToken},
		{"profile", q.Profile},
		{"timeZone", q.TimeZone},
	}
	for _, field := range fields {
		if field.value != "" {
			line(field.name, "%s", plain(field.value))
		}
	}
	if !q.NotAfter.IsZero() {
		line("notAfter", "%s", stampText(q.NotAfter))
	}
	if q.Urgent {
		line("urgent", "true")
	}
	if len(q.Attributes) > 0 {
		line("attributes", "%d", len(q.Attributes))
	}
}

// textMapping says which expression gave what.
func textMapping(line func(string, string, ...any), r Record) {
	if r.Mapping == "" {
		return
	}
	line("mapping", "%s", plain(r.Mapping))
	for _, m := range r.Mapped {
		gave := m.Kind
		if m.Value != "" {
			gave = strconv.Quote(maskedValue(m.Value))
		}
		line("", "%s = %s: %s", plain(m.Member), plain(m.Expression), gave)
	}
}

func textEvidence(line func(string, string, ...any), r Record) {
	if at := r.FirstRequested; at.At.IsZero() {
		line("first requested", "no evidence: the receipt time is used")
	} else {
		line("first requested", "%s at the latest, from %s (tier %s)", stampText(at.At), at.From, at.Tier)
	}
	if r.Window != "" {
		line("window", "%s", r.Window)
	}
	if r.ReceiveCount != nil {
		line("receive count", "%d", *r.ReceiveCount)
	}
	line("ran before", "%s", r.MayHaveRunBefore)
	if len(r.Flags) > 0 {
		line("marks", "%s", strings.Join(r.Flags, ", "))
	}
	switch {
	case r.Position != nil:
		line("fails as", "%s@%s", plain(r.Position.Partition), strconv.FormatInt(r.Position.Offset, 10))
	case r.BatchItemFailureID != "":
		line("fails as", "%s", plain(r.BatchItemFailureID))
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// plain replaces what a terminal would obey or hide, and masks phone numbers: producers use them as ids.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
	return numbers.ReplaceAllStringFunc(s, func(number string) string {
		return number[:3] + strings.Repeat("*", len(number)-7) + number[len(number)-4:]
	})
}

// maxShownValue is how much of a mapped value is shown.
const maxShownValue = 120

// maskedValue makes what an expression gave fit for a terminal: phone numbers are masked in every form, also without their plus.
func maskedValue(s string) string {
	if runes := []rune(s); len(runes) > maxShownValue {
		s = string(runes[:maxShownValue]) + "…"
	}
	return longNumbers.ReplaceAllStringFunc(plain(s), func(number string) string {
		return strings.Repeat("*", len(number)-4) + number[len(number)-4:]
	})
}

var longNumbers = regexp.MustCompile(`[0-9]{7,}`)

// numbers finds what looks like a phone number in international form.
var numbers = regexp.MustCompile(`\+[0-9]{8,}`)
