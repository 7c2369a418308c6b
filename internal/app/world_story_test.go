package app_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// tell writes down what happened to a world, for whoever replays a seed: its switches, each row with its history, and the wire.
func (w *world) tellStory() {
	var b strings.Builder
	fmt.Fprintf(&b, "resend %s, reading %s, window %s, sweeper %v, serial %v, workers %d, restored %v\nfaults: %s\n",
		w.resend, w.reading, w.window, w.sweeper, w.serial, len(w.workers), w.truth.restored, w.faults)
	w.each(w.ctx, func(c call.Call, entries []call.Entry) error {
		fmt.Fprintf(&b, "%s ring %d %s: %s %s, requested %s (%s), placed %s, contact %s, first signed %s\n", c.Key.NotificationID+c.Key.RecallID, c.Ring, c.ID, c.State, c.Code,
			short(c.RequestedAt), c.Tier, short(c.PlacedAt), c.ContactID, short(c.FirstSigned))
		for _, entry := range entries {
			body := string(entry.Body)
			if i := strings.Index(body, `"opening"`); i > 0 {
				body = body[:i] + "..."
			}
			fmt.Fprintf(&b, "    %s %s %.240s\n", short(entry.At), entry.Kind, body)
		}
		return nil
	})
	for _, r := range w.emu.Requests() {
		fmt.Fprintf(&b, "%s %s token %.8s %s %s %d %s, signed %s\n", short(r.Time), r.Operation, r.Token, r.Fault, r.Outcome, r.Status, r.ContactID, short(r.SignedAt))
	}
	w.story = b.String()
}

func short(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.UTC().Format("01-02T15:04:05.000")
}
