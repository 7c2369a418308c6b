package sqlite

import (
	"errors"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// largestGroup bounds a transaction, and with it how long its first write waits for the last.
	largestGroup = 256
	// noteTime is how long notes that nobody waits for may wait for more of them. A storm of duplicates would make a commit of each few.
	noteTime = 25 * time.Millisecond
	begin    = `BEGIN IMMEDIATE`
	commit   = `COMMIT`
	rollback = `ROLLBACK`
)

// write is the writer: it takes what waits, commits it as one group, and answers. It ends with the job that stops it.
func (l *Ledger) write() {
	defer close(l.done)
	group := make([]*job, 0, largestGroup)
	answers := make([]answer, largestGroup)
	for {
		group = append(group[:0], <-l.queue)
		group = l.gather(group)
		if !slices.ContainsFunc(group, (*job).urgent) {
			group = l.linger(group)
		}
		stop := slices.ContainsFunc(group, func(j *job) bool { return j.kind == jobStop })
		l.turn(group, answers[:len(group)])
		if stop {
			l.finish(group, answers)
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

// linger waits for more notes until anything else is to be done, or one transaction has enough of them.
func (l *Ledger) linger(group []*job) []*job {
	over := time.NewTimer(noteTime)
	defer over.Stop()
	for len(group) < largestGroup && !l.journal.full() { // what waited already may have filled it
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
func (l *Ledger) finish(group []*job, answers []answer) {
	for {
		group = l.gather(group[:0])
		if len(group) == 0 && !l.journal.waiting() {
			return
		}
		if !l.turn(group, answers[:len(group)]) {
			return
		}
	}
}

// turn commits one group and answers it. It reports whether the group was committed.
func (l *Ledger) turn(group []*job, answers []answer) bool {
	clear(answers)
	err := l.fate()
	if err == nil {
		err = l.writer.use(func(p prepare) error { return l.commit(p, group, answers) })
	}
	if err == nil {
		l.newest.written(group)
		l.scrub(group, answers)
	}
	for i, j := range group {
		if err != nil {
			answers[i] = answer{err: err}
		}
		if j.answer != nil {
			j.answer <- answers[i]
		}
	}
	return err == nil
}

// fate returns why nothing may be written any more. A ledger that is merely being closed writes what it was given.
func (l *Ledger) fate() error {
	if reason := l.dead.Load(); reason != nil && !errors.Is(reason.err, errClosed) {
		return reason.err
	}
	return nil
}

// commit carries out a group in one transaction, so that it is durable as a whole or not at all, and moves the witness before
// anyone is answered.
func (l *Ledger) commit(p prepare, group []*job, answers []answer) error {
	notes := l.journal.take()
	next := l.record
	if err := l.transact(p, group, answers, notes, &next); err != nil {
		// What the group added to the tail is void; when the file does not tell what remains, nothing is certain any more.
		if poisonous(err) || l.tail.load(p, l.record.indexed) != nil {
			l.poison(explain(err, "write"))
		}
		return explain(err, "write")
	}
	l.journal.landed(notes)
	if l.journal.waiting() {
		l.wake()
	}
	aged := next.identity.Epoch != l.record.identity.Epoch
	moved := aged || next.identity.HighWater != l.record.identity.HighWater
	if next.indexed != l.record.indexed {
		l.tail.clear()
	}
	l.mu.Lock()
	l.record = next
	l.mu.Unlock()
	for i, j := range group {
		if j.after != nil && answers[i].err == nil {
			j.after()
		}
	}
	if !moved || l.witness == nil || l.wentBack.Load() {
		return nil
	}
	err := l.witness.record(next.identity)
	if err == nil && aged {
		err = l.witness.file.Keep() // one of the old epoch would speak against the ledger
	}
	if err != nil {
		err = unavailable(err, "Check the disk of ledger.witness, then restart this process.", "The witness at ledger.witness cannot be written: %v.", rootCause(err))
		l.poison(err)
		return err
	}
	return nil
}

func (l *Ledger) transact(p prepare, group []*job, answers []answer, notes *bundle, next *record) (err error) {
	if _, err := p.exec(begin); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// SQLite may have rolled back by itself; then this fails, and that is no news.
			_, _ = p.exec(rollback)
		}
	}()
	before := next.identity.HighWater
	for i, j := range group {
		if answers[i], err = l.apply(p, j, next); err != nil {
			return err
		}
	}
	if next.identity.HighWater != before {
		if _, err := p.exec(moveRecord, next.identity.HighWater, optional(next.identity.LastWrite)); err != nil {
			return err
		}
	}
	if err := notes.write(p, next, l.tail.anyForgotten); err != nil {
		return err
	}
	if l.indexNow(group, next) {
		if err := l.index(p, next); err != nil {
			return err
		}
	}
	if err := l.unindex(p, group); err != nil {
		return err
	}
	_, err = p.exec(commit)
	return err
}

// apply carries out one job inside the transaction. Its error fails the whole group; what only the job's caller must know is in
// the answer.
func (l *Ledger) apply(p prepare, j *job, next *record) (answer, error) {
	var a answer
	var fresh bool
	var err error
	switch j.kind {
	case jobCreate:
		a, fresh, err = l.create(p, j, next.identity.HighWater+1)
	case jobUpdate:
		a, fresh, err = l.update(p, j, next.identity.HighWater+1)
	case jobErase:
		a, fresh, err = l.eraseRow(p, j, next.identity.HighWater+1)
	case jobAct:
		refused := j.act(p, next)
		if _, shown := errors.AsType[*call.Error](refused); shown {
			return answer{err: refused}, nil
		}
		return answer{}, refused
	case jobNote, jobIndex, jobScrub, jobStop:
	}
	j.fresh = fresh
	if fresh {
		next.identity.HighWater++
		next.identity.LastWrite = j.write.Entry.At
	}
	return a, err
}
