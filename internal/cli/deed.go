package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

// deed is what somebody does by a command on a ledger that the command opens itself; through a service, the service writes it down.
type deed struct {
	action string // as the API calls it, where it has it
	actor  string
	call   string // its row
	target string // what else it is done to
	reason string

	number    call.Phone // on the do-not-call list; only its digest is kept
	recipient string     // who is forgotten; only its digest is kept

	// guarded is not done unless it was written down before: a phone may ring after it, a doubt is closed, or something is erased. What only keeps phones
	// silent is done first and written down after, so that a pause hangs on no disk and on no other command (httpapi has the same two kinds).
	guarded bool
	// many are done by one command, in a row: the log stays open between them. Otherwise it is let go while a deed lasts, since a command that rings may wait
	// for hours, and another one's record for it.
	many bool
}

// begun is the answer in the record that is written before a guarded deed. One without a second record behind it was cut off, or what came of it could not be written.
const begun = "begun"

// book is the audit log of the command line, opened when something is written.
type book struct {
	*environment

	log    *auditlog.Log
	warned bool
}

// did does one deed and writes it down.
func (e *environment) did(ctx context.Context, c *app.Config, d deed, do func() error) error {
	b := &book{environment: e}
	return errors.Join(b.did(ctx, c, d, do), b.close())
}

// did does a deed and writes it down.
func (b *book) did(ctx context.Context, c *app.Config, d deed, do func() error) error {
	if d.guarded {
		err := b.write(ctx, c, d, begun)
		if err == nil && !d.many {
			err = b.close()
		}
		if err != nil {
			return failed("Nothing was done, since it could not be written into the audit log: "+oneLine(err.Error()), "Mend that, and do it again.")
		}
	}
	err := do()
	if lost := b.write(ctx, c, d, answerOf(err)); lost != nil {
		fmt.Fprintln(b.Stderr, "ringonce: warning: this could not be written into the audit log: "+plain(oneLine(lost.Error())))
	}
	return err
}

// write puts a record into the log, and says once where there is none.
func (b *book) write(ctx context.Context, c *app.Config, d deed, answer string) error {
	if b.log == nil {
		log, err := guards.OpenAudit(c, guards.WriterCommand, b.Clock, b.Random, true)
		if err != nil {
			return err
		}
		if b.log = log; log == nil {
			if !b.warned {
				b.warned = true
				fmt.Fprintln(b.Stderr, "ringonce: warning: access.audit_dir is missing, so what is done here is in no audit log.")
			}
			return nil
		}
		b.keep(c.Access.AuditKeepDays)
	}
	act := auditlog.Act{
		Actor: d.actor, Kind: string(access.Operator), Action: d.action, CallID: d.call, Target: d.target, Reason: d.reason, Answer: answer, Personal: map[string]string{},
	}
	if !d.number.IsZero() {
		act.Personal[personalNumber] = d.number.Wire()
	}
	if d.recipient != "" {
		act.Personal[personalRecipient] = d.recipient
	}
	return b.log.Append(context.WithoutCancel(ctx), act)
}

// personalRecipient names the digest of a recipient in a record.
const personalRecipient = "recipient"

// close lets the log go; it is opened again when something more is written.
func (b *book) close() error {
	if b.log == nil {
		return nil
	}
	log := b.log
	b.log = nil
	return log.Close()
}

// answerOf says in a word what came of a deed.
func answerOf(err error) string {
	if err == nil {
		return "ok"
	}
	if told, known := errors.AsType[*call.Error](err); known {
		return string(told.Code)
	}
	if _, known := errors.AsType[ended](err); known { // it was done, and the exit code tells the state of the call
		return "ok"
	}
	return "failed"
}
