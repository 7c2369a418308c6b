package auditlog

import (
	"fmt"
	"runtime"
)

// mostSpare bounds the buffer that one group leaves to the next.
const mostSpare = 64 << 10

// group is the records that one write and one sync put on the disk together, for all who wait for them.
type group struct {
	lines []lines
	head  Head          // behind its newest record
	done  chan struct{} // closed when it is on the disk, or failed
	lead  chan struct{} // has an element when one of those who wait is to write
	err   error         // read behind done
}

// waiting returns the group that takes what comes now. The caller holds mu.
func (l *Log) waiting() *group {
	if l.next == nil {
		l.next = &group{done: make(chan struct{}), lead: make(chan struct{}, 1)}
		if l.spare != nil {
			l.next.lines, l.spare = append(l.next.lines, lines{day: l.day, text: l.spare[:0]}), nil
		}
	}
	return l.next
}

// sync returns when a group is on the disk. One of those who wait for a group writes and syncs for all of them, when nobody writes the one before. The
// caller holds mu, which is free meanwhile and afterwards: those who only waited need nothing of it.
func (l *Log) sync(g *group) error {
	if l.busy {
		l.mu.Unlock()
		select {
		case <-g.done:
			return g.err
		case <-g.lead:
		}
		l.mu.Lock()
	} else {
		l.busy = true
		l.mu.Unlock()
		runtime.Gosched() // whoever is about to append joins
		l.mu.Lock()
	}
	l.flush()
	l.mu.Unlock()
	return g.err
}

// flush puts the next group on the disk, remembers the head, and lets the group behind go on. A head that could not be remembered is tried again by the next
// group; it fails this one. The caller holds mu, which is free meanwhile.
func (l *Log) flush() {
	g := l.next
	l.next, l.busy, l.flying = nil, true, g
	l.mu.Unlock()
	failed := l.put(g.lines)
	var forgot error
	if failed == nil {
		forgot = l.remember(g.head)
	}
	l.mu.Lock()
	l.busy, l.flying = false, nil
	l.forgot = forgot
	if failed != nil {
		l.fail(fmt.Errorf("auditlog: the log cannot be written: %w", failed))
		forgot = l.failed.err
	}
	if n := len(g.lines); n > 0 && cap(g.lines[n-1].text) <= mostSpare {
		l.spare = g.lines[n-1].text
	}
	g.err, g.lines = forgot, nil
	close(g.done)
	switch behind := l.next; {
	case behind == nil || behind.head.Seq == 0: // nobody waits for it: what was to be written could not be
	case l.failed.err != nil:
		l.next, behind.err = nil, l.failed.err
		close(behind.done)
	default:
		l.busy = true // whoever leads it has the log from now on
		behind.lead <- struct{}{}
	}
}
