package sim

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/audit"
	"github.com/ringonce/ringonce/internal/call"
)

// judgeAudit runs the offline auditor over what a full world leaves behind: ledger, store and truth log. What is promised to be possible is
// taken out as it is for the world's own oracle, row by row.
func (w *World) judgeAudit(ctx context.Context, rows []call.Call) {
	phone, emulated := w.phone.(*emulated)
	if !emulated || !w.truth.quiet || phone.audited {
		return
	}
	phone.audited = true
	if err := phone.emu.EndTruth(); err != nil {
		w.find("end the truth log: %v", err)
	}
	truth, err := connectemu.ReadTruth(bytes.NewReader(phone.truth.Bytes()))
	if err != nil {
		w.find("read the truth log: %v", err)
		return
	}
	store := w.workers[0].app.Store
	report, err := audit.Compare(ctx, audit.Books{
		Each: store.Admin.Each, Identity: store.Ledger.Identity, LastBeat: store.Journal.LastBeat, Inspect: store.Inspect, Period: 2 * time.Minute,
	}, w.rememberedTruth(truth, rows), audit.Options{})
	if err != nil {
		w.find("audit: %v", err)
		return
	}
	if report.Rings != phone.emu.RingCount() || !report.Closed {
		w.find("the truth log has %d rings, the telephone %d", report.Rings, phone.emu.RingCount())
	}
	for _, f := range report.Findings {
		b := call.Breach{Invariant: f.Invariant, RowID: f.Call, Detail: "audit: " + f.Detail}
		switch {
		case f.Where == "truth", f.Invariant == "I9":
			w.find("audit, %s: %s", f.Where, f.Detail)
		case f.Where == "both":
			w.breaches(w.excused(rows, []call.Breach{b}))
		}
	}
	w.mark("audited")
}

// fullNumber finds a number of the world, with its plus sign or without.
var fullNumber = regexp.MustCompile(`(^|[^0-9a-zA-Z])(8190000[0-9]{5}|447700900[0-9]{3}|120255501[0-9]{2})`)

// mayHoldNumber reports whether a line has the digits that a full number begins with. It is far cheaper to ask than the expression, and hardly a line has them.
func mayHoldNumber(line string) bool {
	return strings.Contains(line, "8190000") || strings.Contains(line, "447700900") || strings.Contains(line, "120255501")
}

// Leaks returns the lines of a text that hold a full phone number.
func Leaks(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if mayHoldNumber(line) && fullNumber.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
