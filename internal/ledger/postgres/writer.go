package postgres

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"
)

const (
	// largestGroup bounds a transaction, and with it how long its first write waits for the last, and other processes for the lock.
	largestGroup = 256
	// noteTime is how long notes that nobody waits for may wait for more of them. A storm of duplicates would make a commit of each few.
	noteTime = 25 * time.Millisecond
	// groupTime bounds how long a group may take, and each statement that reads. What became of a group is not known then.
	groupTime = 20 * time.Second
)

// write is the writer: it takes what waits, commits it as one group, and answers. It ends with the job that stops it.
func (l *Ledger) write() {
	defer close(l.done)
	group := make([]*job, 0, largestGroup)
	for {
		group = append(group[:0], <-l.queue)
		runtime.Gosched() // whoever is about to write joins
		group = l.gather(group)
		if !slices.ContainsFunc(group, (*job).urgent) {
			group = l.linger(group)
		}
		stop := slices.ContainsFunc(group, func(j *job) bool { return j.kind == jobStop })
		l.turn(group)
		if stop {
			l.finish(group)
			return
		}
	}
}

// gather adds to the group what waits already. It never waits itself: a lone write is committed at once, and what arrives during
// its commit is the next group.
func (l *Ledger) gather(group []*job) []*job {
	for len(group) < largestGroup {
		select {
		case j := <-l.queue:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// urgent reports whether somebody waits for the job, or it must not wait.
func (j *job) urgent() bool { return j.kind != jobNote || j.answer != nil }

// linger waits for more notes until anything else is to be done, or as many wait as a transaction takes: the time for which notes wait must not bound
// how many are written.
func (l *Ledger) linger(group []*job) []*job {
	over := time.NewTimer(noteTime)
	defer over.Stop()
	for len(group) < largestGroup && !l.journal.crowded() { // what waited already may have filled it
		select {
		case j := <-l.queue:
			if group = append(group, j); j.urgent() {
				return l.gather(group)
			}
		case <-over.C:
			return group
		}
	}
	return group
}

// finish answers what was queued behind the job that stops the writer, and keeps the last notes.
func (l *Ledger) finish(group []*job) {
	for {
		group = l.gather(group[:0])
		if len(group) == 0 && !l.journal.waiting() {
			return
		}
		if !l.turn(group) {
			return
		}
	}
}

// turn commits one group and answers it. It reports whether the group was committed.
func (l *Ledger) turn(group []*job) bool {
	answers, err := l.commit(group)
	for i, j := range group {
		a := answer{err: err}
		if err == nil {
			a = answers[i]
		}
		if j.answer != nil {
			j.answer <- a
		}
	}
	return err == nil
}

// commit writes a group. When PostgreSQL cannot store something of it, nothing was applied, and each of its writes is tried alone, so that one that
// cannot be stored spoils no other.
func (l *Ledger) commit(group []*job) ([]answer, error) {
	if err := l.fate(); err != nil {
		return nil, err
	}
	notes := l.journal.take()
	answers, err := l.commitOnce(group, notes)
	switch {
	case err == nil:
		l.journal.landed()
		if l.journal.waiting() {
			l.wake()
		}
		return answers, nil
	case !rolledBack(err):
		l.journal.landed() // perhaps; a line of history may be lost, and none is counted twice
		return nil, l.failed(explain(err, "write"))
	case !unstorable(err) || len(group) <= 1 && notes == nil:
		return nil, l.failed(explain(err, "write")) // the notes are taken again
	}
	answers = make([]answer, len(group))
	for i := range group {
		alone, err := l.commitOnce(group[i:i+1], nil)
		if err != nil {
			answers[i] = answer{err: l.failed(explain(err, "write"))}
			continue
		}
		answers[i] = alone[0]
	}
	l.landAlone(notes)
	return answers, nil
}

// landAlone writes notes without calls. Those that cannot be stored are given up: they never could be.
func (l *Ledger) landAlone(notes *bundle) {
	if _, err := l.commitOnce(nil, notes); err == nil || !rolledBack(err) || unstorable(err) {
		l.journal.landed()
	}
}

// fate returns why nothing may be written any more. A ledger that is merely being closed writes what it was given.
func (l *Ledger) fate() error {
	if reason := l.dead.Load(); reason != nil && !errors.Is(reason.err, errClosed) {
		return reason.err
	}
	return nil
}

// commitOnce writes one group in one transaction, with the hints for its rows if it can be. When those cannot be written nothing was committed, and
// the group is written without them: a hint is worth less than any call.
func (l *Ledger) commitOnce(group []*job, notes *bundle) ([]answer, error) {
	if notes == nil && !slices.ContainsFunc(group, func(j *job) bool { return j.kind.calls() }) {
		return make([]answer, len(group)), nil
	}
	if beside := l.beside.Load(); beside != nil && slices.ContainsFunc(group, (*job).waits) {
		answers, err := l.attempt(group, notes, *beside)
		if !errors.Is(err, errBeside) {
			return answers, err
		}
	}
	return l.attempt(group, notes, nil)
}

// attempt sends one transaction, and moves the witness before anyone is answered.
func (l *Ledger) attempt(group []*job, notes *bundle, beside Beside) ([]answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, wrongServer(err)
	}
	defer conn.Release()
	_, incarnation, _ := l.sight()
	answers, highWater, err := transact(ctx, conn.Conn(), beside, incarnation, group, notes)
	switch {
	case errors.Is(err, errSuperseded):
		l.poison(superseded())
	case errors.Is(err, errShared):
		l.poison(pooled(err))
	}
	if err != nil {
		return nil, err
	}
	l.saw(highWater)
	if err := l.testify(incarnation, highWater); err != nil {
		return nil, err
	}
	return answers, nil
}

// testify moves the witness. A witness that cannot be written ends the use of the ledger: a restore would not be noticed.
func (l *Ledger) testify(incarnation string, highWater int64) error {
	err := l.witness.record(testimony{id: l.id, incarnation: incarnation, highWater: highWater}, false)
	if err != nil {
		err = witnessTrouble(err, "written", l.options.WitnessPath)
		l.poison(err)
	}
	return err
}
