package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// ledgerGroup holds the commands about the ledger as a whole.
type ledgerGroup struct {
	Verify  verifyCommand  `cmd:"" help:"Fold every history, check the hash chains and compare with the rows; changes nothing."`
	Audit   auditCommand   `cmd:"" help:"Compare a ledger and its hash chains with what really rang, from the emulator's truth log; changes nothing."`
	Recover recoverCommand `cmd:"" help:"Make a ledger that was restored from a backup safe to dial from."`
}

// verifyCommand audits a ledger offline, or beside a running process.
type verifyCommand struct {
	JSON bool `help:"Print one JSON object."`
}

// verified is the JSON form of an audit.
type verified struct {
	Ledger   string             `json:"ledger"` // its id
	Epoch    int64              `json:"epoch"`
	Calls    int                `json:"calls"`
	Entries  int                `json:"entries"`
	States   map[call.State]int `json:"states"`
	Newest   time.Time          `json:"newestEntry,omitzero"`
	LastBeat time.Time          `json:"lastSweep,omitzero"`
	Overdue  int                `json:"overdue"` // calls that a sweep would move on now
	Recovery *call.Recovery     `json:"recovery,omitempty"`
	Breaches []breach           `json:"breaches"`
}

type breach struct {
	Invariant string `json:"invariant"`
	Call      string `json:"call"`
	Detail    string `json:"detail"`
}

// Run implements the command.
func (x *verifyCommand) Run(ctx context.Context, e *environment) (err error) {
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	report, err := verify(ctx, a)
	if err != nil {
		return err
	}
	if x.JSON {
		err = printJSON(e.Stdout, report)
	} else {
		err = report.text(e, a)
	}
	if err == nil && len(report.Breaches) > 0 {
		err = ended(ExitRefused)
	}
	return err
}

func verify(ctx context.Context, a *app.App) (verified, error) {
	identity, err := a.Store.Ledger.Identity(ctx)
	if err != nil {
		return verified{}, err
	}
	v := verified{
		Ledger: identity.ID, Epoch: identity.Epoch, Newest: identity.LastWrite, Recovery: identity.Recovery,
		States: map[call.State]int{}, Breaches: []breach{},
	}
	if v.LastBeat, err = a.Store.Journal.LastBeat(ctx); err != nil {
		return v, err
	}
	now := a.Clock.Now()
	var rows []call.Call
	err = a.Store.Admin.Each(ctx, func(row call.Call, entries []call.Entry) error {
		v.Calls++
		v.Entries += len(entries)
		v.States[row.State]++
		if due := row.DueAt(); !due.IsZero() && !due.After(now) {
			v.Overdue++
		}
		v.add(call.CheckHistory(row, entries)) // which checks the row by itself as well
		// What the rows break together needs no body, and a body can be large.
		row.Pin, row.Attributes, row.Message = "", nil, ""
		rows = append(rows, row)
		return ctx.Err()
	})
	if err != nil {
		return v, err
	}
	v.add(call.CheckLedger(rows, v.sweptUntil(), 2*a.Config.SweepEvery()))
	return v, nil
}

// sweptUntil is the instant against which overdue calls are a breach: when a sweeper was last alive. Where none runs now, as beside
// a copy of a ledger, nothing is late; it is counted as overdue.
func (v *verified) sweptUntil() time.Time {
	if v.LastBeat.IsZero() {
		return v.Newest
	}
	return v.LastBeat
}

func (v *verified) add(found []call.Breach) {
	for _, b := range found {
		v.Breaches = append(v.Breaches, breach{Invariant: b.Invariant, Call: b.RowID, Detail: b.Detail})
	}
}

func (v *verified) text(e *environment, a *app.App) error {
	now := a.Clock.Now()
	rows := [][]string{{"ledger", v.Ledger + fmt.Sprintf(", epoch %d", v.Epoch)}, {"calls", fmt.Sprint(v.Calls)}}
	for _, state := range call.States() {
		if n := v.States[state]; n > 0 {
			rows = append(rows, []string{"  " + string(state), fmt.Sprint(n)})
		}
	}
	rows = append(rows, []string{"history entries", fmt.Sprint(v.Entries)}, []string{"newest entry", ago(now, v.Newest)},
		[]string{"last sweep", ago(now, v.LastBeat)}, []string{"overdue", plural(v.Overdue, "call", "calls")})
	if v.Recovery != nil {
		rows = append(rows, []string{"recovery open", "forgot " + stamp(v.Recovery.Backup) + " to " + stamp(v.Recovery.Restored)})
	}
	rows = append(rows, []string{"breaches", fmt.Sprint(len(v.Breaches))})
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	for _, b := range v.Breaches {
		if _, err := fmt.Fprintf(e.Stdout, "%s of call %s: %s\n", b.Invariant, dash(b.Call), plain(b.Detail)); err != nil {
			return err
		}
	}
	last := "the ledger is sound: every row is the fold of its history, every hash chain holds"
	if len(v.Breaches) > 0 {
		last = "the ledger is NOT sound: keep a copy of its file before anything else, and look at the calls above"
	}
	_, err := fmt.Fprintln(e.Stdout, last)
	return err
}

func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	if t.After(now) {
		return stamp(t) + ", which is " + lasted(t.Sub(now)) + " ahead of this clock"
	}
	return stamp(t) + ", " + lasted(now.Sub(t)) + " ago"
}
