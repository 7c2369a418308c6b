package audit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// Books are a ledger, open for reading.
type Books struct {
	// Each visits every row with its history.
	Each func(ctx context.Context, visit func(call.Call, []call.Entry) error) error
	// Identity is call.Ledger.Identity.
	Identity func(ctx context.Context) (call.LedgerIdentity, error)
	// LastBeat is call.Journal.LastBeat.
	LastBeat func(ctx context.Context) (time.Time, error)
	// Inspect returns what is wrong with the store itself; nil where there is nothing to inspect.
	Inspect func(ctx context.Context) ([]call.Breach, error)
	// Period is how late a call may be swept.
	Period time.Duration
}

// Finding is one thing that is not as it must be.
type Finding struct {
	// Where is "ledger", "truth" (the log by itself) or "both" (they disagree).
	Where string `json:"where"`
	// Invariant is I1 to I15 of docs/protocol.md section 13; empty for the log by itself.
	Invariant string `json:"invariant,omitempty"`
	// Call is the row id; empty when no call is to blame.
	Call   string `json:"call,omitempty"`
	Detail string `json:"detail"`
}

// Report is the result of an audit.
type Report struct {
	Ledger    string    `json:"ledger"` // its id
	Epoch     int64     `json:"epoch"`
	Calls     int       `json:"calls"`
	Forgotten int       `json:"forgotten"` // of them; their histories begin with the erasure
	Entries   int       `json:"entries"`   // of history
	Rings     int       `json:"rings"`     // in the truth log
	Sends     int       `json:"sends"`     // wire requests in the truth log
	Closed    bool      `json:"truthClosed"`
	Findings  []Finding `json:"findings"`
}

// Sound reports whether nothing was found.
func (r *Report) Sound() bool { return len(r.Findings) == 0 }

// Options say how to judge.
type Options struct {
	// Running accepts a truth log that has no last line, because the emulator still writes it.
	Running bool
}

// Compare audits a ledger against a truth log. The error is one of reading; whatever is wrong with what was read is in the report.
func Compare(ctx context.Context, books Books, truth connectemu.Truth, o Options) (*Report, error) {
	r := &Report{Closed: truth.Closed, Findings: []Finding{}}
	rows, err := r.read(ctx, books)
	if err != nil {
		return nil, err
	}
	for _, problem := range truth.Problems {
		r.Findings = append(r.Findings, Finding{Where: "truth", Detail: problem})
	}
	if !truth.Closed && !o.Running {
		r.Findings = append(r.Findings, Finding{Where: "truth", Detail: "the log has no last line: the emulator still runs or was killed, or lines are missing at the end"})
	}
	rings, sends := happened(truth)
	r.Sends = len(sends)
	for _, e := range truth.Events {
		if e.Kind == connectemu.TruthRang { // what began as a chat or a task is compared with its call, and rang nowhere
			r.Rings++
		}
	}
	r.add("both", call.CheckRings(rows, rings))
	r.add("both", call.CheckSends(rows, rings, sends))
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Invariant, b.Invariant))
	})
	return r, nil
}

// read audits the ledger by itself and returns its rows.
func (r *Report) read(ctx context.Context, books Books) ([]call.Call, error) {
	identity, err := books.Identity(ctx)
	if err != nil {
		return nil, err
	}
	r.Ledger, r.Epoch = identity.ID, identity.Epoch
	swept, err := books.LastBeat(ctx)
	if err != nil {
		return nil, err
	}
	if swept.IsZero() { // where no sweeper runs, nothing is late
		swept = identity.LastWrite
	}
	var rows []call.Call
	err = books.Each(ctx, func(row call.Call, entries []call.Entry) error {
		r.Calls++
		r.Entries += len(entries)
		if row.IsForgotten() {
			r.Forgotten++
		}
		r.add("ledger", call.CheckHistory(row, entries))
		row.Pin, row.Attributes, row.Message = "", nil, "" // a body can be large, and what rows break together needs none
		rows = append(rows, row)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	r.add("ledger", call.CheckLedger(rows, swept, books.Period))
	if books.Inspect != nil {
		found, err := books.Inspect(ctx)
		if err != nil {
			return nil, err
		}
		r.add("ledger", found)
	}
	return rows, nil
}

func (r *Report) add(where string, found []call.Breach) {
	for _, b := range found {
		r.Findings = append(r.Findings, Finding{Where: where, Invariant: b.Invariant, Call: b.RowID, Detail: b.Detail})
	}
}

// happened takes the rings and the wire requests out of a truth log.
func happened(truth connectemu.Truth) ([]call.Rang, []call.Sent) {
	var rings []call.Rang
	var sends []call.Sent
	for _, e := range truth.Events {
		switch {
		case e.Ring != nil:
			rings = append(rings, call.Rang{CallID: e.Ring.Attributes["ringonceCallId"], ContactID: e.Ring.ContactID, Number: e.Ring.Number, Token: e.Ring.Token})
		case e.Start != nil:
			sends = append(sends, call.Sent{
				Token: e.Start.Token, BodyHash: e.Start.BodyHash, Signed: e.Start.SignedAt, ContactID: e.Start.ContactID,
				Accepted: e.Start.Outcome == connectemu.OutcomeRang || e.Start.Outcome == connectemu.OutcomeReplayed,
			})
		}
	}
	return rings, sends
}
