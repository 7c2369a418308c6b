package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// recoverCommand does the steps of protocol.md section 11 that a program can do: the new epoch and the taint.
type recoverCommand struct {
	BackupTime string `placeholder:"TIME" help:"When the backup was made, in RFC 3339; default: the newest entry of the restored ledger."`
	Close      bool   `help:"End the recovery, after the replay and the scan."`
	Force      bool   `help:"Begin a recovery although the ledger did not go back, because you know that it did."`
	Yes        bool   `help:"Do it; without this flag it is only said what would be done."`
}

// taintPage is how many ids are read at once.
const taintPage = 200

// Run implements the command.
func (x *recoverCommand) Run(ctx context.Context, e *environment) (err error) {
	wentBack, err := x.wentBack(ctx, e)
	if err != nil {
		return err
	}
	a, err := e.openLedger(ctx, opening{recovery: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	identity, err := a.Store.Ledger.Identity(ctx)
	if err != nil {
		return err
	}
	if x.Close {
		return x.close(ctx, e, a, identity, wentBack)
	}
	recovery, begun, err := x.stretch(a, identity, wentBack)
	if err != nil {
		return err
	}
	if !x.Yes {
		return x.plan(ctx, e, a, recovery, begun)
	}
	d := deed{action: "beginRecovery", actor: e.actorOf(""), target: "ledger:" + identity.ID, guarded: true}
	return e.did(ctx, a.Config, d, func() error { return x.begin(ctx, e, a, identity, recovery, begun) })
}

// begin begins a recovery, or goes on with one that has begun.
func (x *recoverCommand) begin(ctx context.Context, e *environment, a *app.App, identity call.LedgerIdentity, recovery call.Recovery, begun bool) error {
	if !begun {
		if err := a.Store.Admin.BeginRecovery(ctx, recovery); err != nil {
			return err
		}
	}
	unfinished, tainted, err := taint(ctx, a, recovery)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, `recovery of ledger %s is open, for what happened between %s and %s
%s, %d of them tainted now: each counts as dialed until evidence or the send rule says otherwise

Next:
  1. keep every worker that holds messages stopped
  2. start the workers again and replay the source since %[2]s: the archive, the dead-letter queue or the producers' own copies
  3. scan Amazon Connect for contacts between %[2]s and %[3]s, so that calls which did ring are known as placed
  4. then end the recovery: ringonce ledger recover --close --yes
`, identity.ID, stamp(recovery.Backup), stamp(recovery.Restored), plural(unfinished, "unfinished call", "unfinished calls"), tainted)
	return err
}

// wentBack opens the ledger as a worker would and reports whether that is refused because it went back in time.
func (x *recoverCommand) wentBack(ctx context.Context, e *environment) (bool, error) {
	a, err := e.openLedger(ctx, opening{})
	switch {
	case errors.Is(err, call.ErrWentBack):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, a.Close()
}

// stretch returns the stretch of time that the ledger forgot; begun says that its recovery is open already, so that a recovery
// which was interrupted goes on.
func (x *recoverCommand) stretch(a *app.App, identity call.LedgerIdentity, wentBack bool) (r call.Recovery, begun bool, err error) {
	now := a.Clock.Now()
	if identity.Recovery != nil && !wentBack {
		if x.BackupTime != "" {
			return r, false, refuse(call.CodeNotFinal, "A recovery of this ledger is open already, with its own backup time.", "Run it without --backup-time, or end it with --close.")
		}
		return *identity.Recovery, true, nil
	}
	if !wentBack && !x.Force {
		return r, false, refuse(call.CodeRecoveryNotOpen, "This ledger did not go back in time: it is as new as its witness says, so there is nothing to recover.",
			"Add --force if you know that it was restored together with its witness.")
	}
	r = call.RecoveryOf(identity.LastWrite, now)
	if x.BackupTime != "" {
		if r.Backup, err = time.Parse(time.RFC3339, x.BackupTime); err != nil {
			return r, false, misused("--backup-time is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
		if r.Backup.After(now) {
			return r, false, misused("--backup-time is in the future.", "Give the time at which the backup was made.")
		}
	}
	if identity.Recovery != nil && identity.Recovery.Backup.Before(r.Backup) { // restored again: what was forgotten first still is
		r.Backup = identity.Recovery.Backup
	}
	return r, false, nil
}

func (x *recoverCommand) plan(ctx context.Context, e *environment, a *app.App, r call.Recovery, begun bool) error {
	unfinished := 0
	err := eachUnfinished(ctx, a, func(string) error { unfinished++; return nil })
	if err != nil {
		return err
	}
	what := "begin a recovery"
	if begun {
		what = "continue the open recovery"
	}
	_, err = fmt.Fprintf(e.Stdout, `This would %s of the ledger:
  it forgot what happened between %s (backup) and %s (restore)
  %s would be tainted: treated as if a dial was open since the backup, and dialed again only where the send rule allows it
  requests that are not proven to be newer than the restore would be treated alike until the recovery is closed

Stop every worker that holds messages first. Then run it with --yes.
`, what, stamp(r.Backup), stamp(r.Restored), plural(unfinished, "unfinished call", "unfinished calls"))
	if err != nil {
		return err
	}
	return ended(ExitRefused)
}

func (x *recoverCommand) close(ctx context.Context, e *environment, a *app.App, identity call.LedgerIdentity, wentBack bool) error {
	switch {
	case wentBack:
		return refuse(call.CodeLedgerWentBack, "This ledger went back in time and its recovery has not begun.", "Run ringonce ledger recover without --close first.")
	case identity.Recovery == nil:
		return refuse(call.CodeRecoveryNotOpen, "No recovery of this ledger is open.", "There is nothing to close.")
	}
	if !x.Yes {
		_, err := fmt.Fprintf(e.Stdout, `This would end the recovery for what happened between %s and %s:
  requests that are new to the ledger would be dialed at once again, also those that may have rung in that time

Replay the source and scan Amazon Connect first. Then run it with --close --yes.
`, stamp(identity.Recovery.Backup), stamp(identity.Recovery.Restored))
		if err != nil {
			return err
		}
		return ended(ExitRefused)
	}
	d := deed{action: "closeRecovery", actor: e.actorOf(""), target: "ledger:" + identity.ID, guarded: true}
	return e.did(ctx, a.Config, d, func() error { return x.end(ctx, e, a, identity) })
}

func (x *recoverCommand) end(ctx context.Context, e *environment, a *app.App, identity call.LedgerIdentity) error {
	// A recovery that was interrupted may have left calls untainted: none may be dialed as if nothing had been forgotten.
	if _, _, err := taint(ctx, a, *identity.Recovery); err != nil {
		return err
	}
	if err := a.Store.Admin.CloseRecovery(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "the recovery of ledger %s is closed\n", identity.ID)
	return err
}

// taint makes every unfinished call safe to dial from. It can be repeated: a tainted call is left as it is.
func taint(ctx context.Context, a *app.App, r call.Recovery) (unfinished, tainted int, err error) {
	err = eachUnfinished(ctx, a, func(id string) error {
		unfinished++
		done, err := a.Engine.TaintRow(ctx, id, r)
		if done {
			tainted++
		}
		return err
	})
	return unfinished, tainted, err
}

func eachUnfinished(ctx context.Context, a *app.App, visit func(id string) error) error {
	for cursor := ""; ; {
		ids, next, err := a.Store.Admin.Unfinished(ctx, cursor, taintPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := visit(id); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

func refuse(code call.Code, message, fix string) error {
	return &call.Error{Code: code, Message: message, Fix: fix}
}
