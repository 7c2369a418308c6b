package app_test

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/audit"
	"github.com/ringonce/ringonce/internal/call"
)

// judgeAudit runs the offline auditor over what the world leaves behind: ledger, store and truth log. What is promised to be possible is taken
// out as it is for the world's own oracle, and what a restore has forgotten explains every disagreement but a broken chain.
func (w *world) judgeAudit(ctx context.Context, rows []call.Call, rings map[string][]string) {
	if err := w.emu.EndTruth(); err != nil {
		w.find("end the truth log: %v", err)
	}
	truth, err := connectemu.ReadTruth(bytes.NewReader(w.truthLog.Bytes()))
	if err != nil {
		w.find("read the truth log: %v", err)
		return
	}
	store := w.workers[0].app.Store
	report, err := audit.Compare(ctx, audit.Books{
		Each: store.Admin.Each, Identity: store.Ledger.Identity, LastBeat: store.Journal.LastBeat, Inspect: store.Inspect, Period: 2 * time.Minute,
	}, truth, audit.Options{})
	if err != nil {
		w.find("audit: %v", err)
		return
	}
	if report.Rings != len(w.emu.Rings()) || !report.Closed {
		w.find("the truth log has %d rings, the telephone %d", report.Rings, len(w.emu.Rings()))
	}
	for _, f := range report.Findings {
		b := call.Breach{Invariant: f.Invariant, RowID: f.Call, Detail: "audit: " + f.Detail}
		switch {
		case f.Where == "truth", f.Invariant == "I9":
			w.find("audit, %s: %s", f.Where, f.Detail)
		case f.Where == "both" && !w.truth.restored:
			w.breaches(w.excused(rows, rings, []call.Breach{b}))
		}
	}
	w.mark("audited" + map[bool]string{true: " with a forgotten call"}[report.Forgotten > 0])
	w.mark("audited, store inspected: " + map[bool]string{true: "yes", false: "no"}[store.Inspect != nil])
	if strings.Contains(w.truthLog.String(), "ringonceCallId") {
		w.mark("audited a ring")
	}
}
