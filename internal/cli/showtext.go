package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// text writes a call for a person: what it is, where it stands, and everything that happened, with the time between the lines.
func (s shown) text(w io.Writer, now time.Time) error {
	var b strings.Builder
	s.head(&b, now)
	s.textAttempts(&b)
	s.textTimeline(&b)
	s.textSuppressed(&b)
	s.textRings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s shown) head(b *strings.Builder, now time.Time) {
	fmt.Fprintf(b, "call %s\n", s.ID)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-15s %s\n", name, plain(value))
		}
	}
	line("state", string(s.State)+": "+s.Sentence)
	line("notificationId", s.NotificationID)
	line("recipientId", shownID(s.RecipientID))
	line("recallId", s.RecallID)
	line("key space", s.KeySpace)
	if s.Kind != call.KindVoice {
		line("kind", string(s.Kind))
	}
	line("number", s.Destination)
	line("profile", s.Profile)
	line("clientToken", s.ClientToken)
	if s.AskedToken != "" {
		line(tokenIgnored, s.AskedToken+" came with the request; the recipe does not use it")
	}
	line("contactId", s.ContactID)
	if s.ContactFrom != "" && s.ContactFrom != "answer" {
		line("known from", s.ContactFrom)
	}
	line("accepted", stamp(s.AcceptedAt))
	if !s.RequestedAt.IsZero() {
		line("requested", stamp(s.RequestedAt)+" ("+string(s.Tier)+")")
	}
	line("not after", stamp(s.NotAfter))
	line("time zone", s.TimeZone)
	line("placed", stamp(s.PlacedAt))
	s.contactLines(line)
	line("forgotten", stamp(s.Forgotten))
	s.textLived(line)
	line("re-calls", strconv.Itoa(s.RecallCount))
	if s.Error != nil {
		line("error", strings.Trim(because(s.Error.Code, s.Error.Message), " ():"))
	}
	s.textHolding(line)
	if !s.Due.IsZero() {
		line("next step", in(s.Due.Sub(now))+", at "+stamp(s.Due)+why(s.DueReason))
	}
	if s.State != call.Placed && s.SettledAt.After(now) {
		line("settled", stamp(s.SettledAt)+": until then an open dial may still be accepted")
	}
	for _, contact := range s.Anomalies {
		line("ANOMALY", "contact "+contact+" must not exist: look at it in Amazon Connect")
	}
}

func (s shown) textAttempts(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s\n", plural(len(s.Attempts), "attempt", "attempts"))
	for i, a := range s.Attempts {
		took := ""
		if a.Took > 0 {
			took = " in " + lasted(a.Took)
		}
		fmt.Fprintf(b, "  %d  %s%s  %s\n", i+1, stamp(a.OpenedAt), took, plain(a.Words()))
	}
}

func (s shown) textTimeline(b *strings.Builder) {
	b.WriteString("\ntimeline\n")
	for i, line := range s.Timeline {
		gap := ""
		if i > 0 {
			gap = "+" + lasted(line.After)
		}
		who := ""
		if line.Actor != "" {
			who = " (by " + line.Actor + ")"
		}
		fmt.Fprintf(b, "  %s  %8s  %s\n", stamp(line.At), gap, plain(line.What+who))
	}
}

func (s shown) textSuppressed(b *strings.Builder) {
	if s.Suppressed.Count == 0 && len(s.Conflicts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s answered by this call without dialing\n", plural(s.Suppressed.Count+len(s.Conflicts), "delivery", "deliveries"))
	for _, n := range s.Suppressed.Kept {
		fmt.Fprintf(b, "  %s  %s  %s%s\n", stamp(n.At), plain(n.Reason), plain(n.what()), s.justified(n))
	}
	if more := s.Suppressed.Count - len(s.Suppressed.Kept); more > 0 {
		fmt.Fprintf(b, "  and %d more that were counted and not kept\n", more)
	}
	for _, n := range s.Conflicts {
		fmt.Fprintf(b, "  %s  refused (%s)  %s%s\n", stamp(n.At), plain(n.Reason), plain(n.what()), s.justified(n))
	}
}

func (n noted) what() string {
	if n.Delivery == nil {
		return "a delivery"
	}
	return arrival(n.Delivery)
}

// justified names the call that justified a suppression and where it stands.
func (s shown) justified(n noted) string {
	text := ", by call " + short(n.By)
	if n.By != s.ID {
		return text
	}
	if !s.PlacedAt.IsZero() && !n.At.Before(s.PlacedAt) {
		return text + " (placed " + lasted(n.At.Sub(s.PlacedAt)) + " before)"
	}
	return text + " (accepted " + lasted(n.At.Sub(s.AcceptedAt)) + " before)"
}

func (s shown) textRings(b *strings.Builder) {
	if s.LinkedTo != "" {
		fmt.Fprintf(b, "\nlinked to call %s, whose key has no recallId\n", s.LinkedTo)
	}
	for _, id := range s.LinkedFrom {
		fmt.Fprintf(b, "\ncall %s with a recallId is linked to this one\n", id)
	}
	if len(s.Rings) < 2 {
		return
	}
	b.WriteString("\nrings of this key\n")
	for _, ring := range s.Rings {
		mark := ""
		if ring.ID == s.ID {
			mark = "  (this call)"
		}
		state := string(ring.State)
		if state == "" {
			state = "claimed"
		}
		fmt.Fprintf(b, "  %d  %s  %s  %s%s\n", ring.Ring, short(ring.ID), state, dash(string(ring.Cause)), mark)
	}
}
