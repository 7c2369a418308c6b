package auditlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The waits before a log that failed is taken up: the first, and the longest, to which each failure doubles it. A try reads the newest file and writes a record.
const (
	shortestRest = time.Second
	longestRest  = 30 * time.Second
)

// ActionReopened is the first record after a time in which the log could not be written. Like the genesis it is of the kind system.
const ActionReopened = "log.reopened"

// trouble is why a log cannot be written, since when, and what is done about it. The zero value is none.
type trouble struct {
	err    error
	since  time.Time
	lost   int // acts that were told so; the first few of them may be in the log all the same
	rest   time.Duration
	next   time.Time     // of the next try
	trying chan struct{} // closed when the try that lasts is over; nil when there is none
}

var errLockGone = errors.New("auditlog: the lock of this log is no longer the file that was locked: another process may write it")

// Usable returns nil when an act would be written now, else why not. A log that failed is tried to be taken up first, with pauses between the tries; so whoever asks
// now and then brings it back as soon as it can be written. It returns an error after Close.
func (l *Log) Usable() error {
	l.mu.Lock()
	if err := l.ready(); err != nil || l.forgot == nil {
		l.mu.Unlock()
		return err
	}
	g := l.waiting() // of nothing, but for the head that could not be remembered
	g.head = Head{Log: l.id, Seq: l.seq, Hash: l.prev}
	return l.sync(g)
}

// fail ends writing until the log is taken up. The caller holds mu.
func (l *Log) fail(why error) {
	now := l.o.Clock.Now()
	l.failed = trouble{err: why, since: now, rest: shortestRest, next: now.Add(shortestRest)}
}

// ready returns nil when records can be added. The caller holds mu, which is free while the log is taken up: whoever comes meanwhile is refused and does not wait.
func (l *Log) ready() error {
	if l.failed.err == nil || l.closed || l.busy || l.failed.trying != nil {
		return l.failed.err
	}
	now := l.o.Clock.Now()
	if wait := l.failed.next.Sub(now); wait > 0 && wait <= longestRest { // more is a clock that went back
		return l.failed.err
	}
	over := make(chan struct{})
	l.failed.trying = over
	reason := fmt.Sprintf("it could not be written from %s on; up to %d acts are not in it", l.failed.since.UTC().Format(time.RFC3339), l.failed.lost)
	told := l.failed.lost
	l.mu.Unlock()
	fresh, err := l.again(reason)
	l.mu.Lock()
	defer close(over)
	l.failed.trying = nil
	if err != nil {
		l.failed.err = fmt.Errorf("auditlog: the log cannot be taken up again: %w", err)
		l.failed.rest = min(2*l.failed.rest, longestRest)
		l.failed.next = l.o.Clock.Now().Add(l.failed.rest)
		return l.failed.err
	}
	_ = l.letGo() // of what failed; nothing was written there since
	l.day, l.id, l.seq, l.prev, l.salt = fresh.day, fresh.id, fresh.seq, fresh.prev, fresh.salt
	l.file, l.fileDay, l.head = fresh.file, fresh.fileDay, fresh.head
	l.next, l.forgot, l.failed = nil, nil, trouble{lost: l.failed.lost - told}
	return nil
}

// again opens the log under the lock that is held already, and writes into it that it does.
func (l *Log) again(reason string) (*Log, error) {
	if err := l.locked(); err != nil {
		return nil, err
	}
	fresh := &Log{o: l.o, open: l.open, lock: l.lock, prev: noHash}
	err := fresh.resume()
	if err == nil {
		err = fresh.note(ActionReopened, reason) // the proof that it can be written
	}
	if err == nil {
		fresh.salt, err = saltOf(l.o.Dir, fresh.day, l.o.Random)
	}
	if err != nil {
		return nil, errors.Join(err, fresh.letGo())
	}
	return fresh, nil
}

// locked returns an error when somebody else could hold the lock: the file was replaced.
func (l *Log) locked() error {
	held, err := l.lock.Stat()
	if err != nil {
		return fmt.Errorf("auditlog: %w", err)
	}
	there, err := os.Stat(filepath.Join(l.o.Dir, "lock"))
	if err != nil || !os.SameFile(held, there) {
		return errors.Join(errLockGone, err)
	}
	return nil
}

// letGo closes the files.
func (l *Log) letGo() error {
	var err error
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
	}
	if l.head != nil {
		err = errors.Join(err, l.head.Sync(), l.head.Close())
	}
	l.file, l.head = nil, nil
	return err
}

// missed counts acts that were not written because the log is failed.
func (l *Log) missed(acts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed.err != nil && !l.closed {
		l.failed.lost += acts
	}
}
