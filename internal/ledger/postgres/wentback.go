package postgres

import (
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// confront compares the ledger with its server and its witness, and refuses one that went back unless it is opened to be recovered.
func (l *Ledger) confront(ctx context.Context, found record, said testimony) error {
	reason, err := l.contradiction(ctx, found, said)
	switch {
	case err != nil:
		return err
	case reason != "" && !l.options.AllowRecovery:
		return wentBack(reason)
	case reason != "":
		l.wentBack.Store(true)
		return nil
	}
	if err := l.witness.record(found.testimony(), said.missing); err != nil {
		return witnessTrouble(err, "written", l.options.WitnessPath)
	}
	return nil
}

func (r record) testimony() testimony {
	return testimony{id: r.identity.ID, incarnation: r.incarnation, highWater: r.identity.HighWater}
}

// contradiction says in which way server or witness speak against the ledger; empty when they do not. A witness of an earlier incarnation of the
// same ledger is none: what was forgotten since is what that recovery was about.
func (l *Ledger) contradiction(ctx context.Context, r record, said testimony) (string, error) {
	switch {
	case r.server != r.home:
		return r.moved(), nil
	case said.missing:
		return "", nil
	case said.id == "":
		return "Its witness is damaged.", nil
	case said.id != r.identity.ID:
		return "Its witness belongs to another ledger: this one is new or was replaced.", nil
	case said.incarnation != r.incarnation:
		known, err := l.queries.KnowsIncarnation(ctx, said.incarnation)
		if err != nil {
			return "", explain(err, "read its recoveries")
		}
		if !known {
			return "Its witness knows a recovery that it does not: this is a copy from before it.", nil
		}
		return "", nil
	case said.highWater > r.identity.HighWater:
		return lostWrites(said.highWater - r.identity.HighWater), nil
	}
	return "", nil
}

// moved says which server the ledger is on.
func (r record) moved() string {
	if r.server.cluster != r.home.cluster {
		return "It is on another PostgreSQL server than the one it was made or recovered on: it was moved or restored."
	}
	return "Its server went from timeline " + strconv.FormatInt(r.home.timeline, 10) + " to " + strconv.FormatInt(r.server.timeline, 10) +
		": a standby was promoted or a backup was restored, and the last writes may be lost."
}

func lostWrites(n int64) string {
	return "Its witness has seen " + strconv.FormatInt(n, 10) + " newer writes: they were lost, for example by a restore."
}

func wentBack(reason string) error {
	return &refusal{cause: call.ErrWentBack, shown: &call.Error{
		Code: call.CodeLedgerWentBack, Field: "ledger.witness",
		Message: "The ledger in PostgreSQL went back in time and must not dial. " + reason,
		Fix:     "Stop every worker, then run `ringonce ledger recover`.",
	}}
}

func witnessTrouble(err error, what, path string) error {
	why := err
	if of, ok := errors.AsType[*os.PathError](err); ok { // the message names the path already
		why = of.Err
	}
	return &refusal{cause: err, shown: misconfigured("ledger.witness", "Make it writable for this user, or name another file.",
		"The witness at ledger.witness (%s) cannot be %s: %v.", path, what, why)}
}

// WentBack compares the ledger with its server and its witness without changing anything, and says in which way they speak against it; empty when
// they do not. It is for a ledger that was opened to be read; one that is written was compared when it was opened.
func (l *Ledger) WentBack(ctx context.Context) (string, error) {
	said := testimony{missing: true}
	if l.options.WitnessPath != "" {
		var err error
		if said, err = readWitness(l.options.WitnessPath); err != nil {
			return "", err
		}
	}
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	found, err := readRecord(ctx, l.queries)
	if err != nil {
		return "", err
	}
	return l.contradiction(ctx, found, said)
}
