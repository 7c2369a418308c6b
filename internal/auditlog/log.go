package auditlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/call"
)

// Options is where a log lies and what it works with. All but Wait are required.
type Options struct {
	Dir    string // made if it is absent, mode 0700
	Head   string // file of the remembered head; best on another disk, or where this process may only write
	Clock  call.Clock
	Random io.Reader // of crypto/rand: id and salts
	Wait   bool      // wait for a writer that holds the log, instead of being refused
}

// Log is a log that is open for writing. It is safe for concurrent use.
type Log struct {
	o      Options
	open   func(path string) (appended, error)
	remove func(path string) error
	sealed func(dir string) error // syncs what was removed
	lock   *os.File
	head   *os.File

	trims sync.Mutex // one Trim at a time; taken before mu

	mu     sync.Mutex // of everything up to failed
	day    string     // of the newest record
	id     string
	seq    int64
	prev   string
	salt   []byte  // of that day, made when it is needed
	next   *group  // records that nobody writes yet; nil when there is none
	flying *group  // what is being written
	busy   bool    // some append writes and syncs for all, or is about to
	spare  []byte  // a buffer for the next group
	forgot error   // of the last head that could not be remembered; nil when it was
	failed trouble // after a write that may be half there, nothing more is written until the log is taken up again
	closed bool

	// The rest belongs to the append that made the log busy.
	file    appended
	fileDay string
}

// lines are whole lines for the file of a day.
type lines struct {
	day  string
	text []byte
}

// appended is what a log needs of a file; *os.File is one.
type appended interface {
	io.Writer
	Sync() error
	Close() error
}

func forAppending(path string) (appended, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// The errors of opening a log.
var (
	ErrInUse    = errors.New("auditlog: another process writes this log")
	ErrCutOff   = errors.New("auditlog: the log ends before the remembered head: its end was cut off, or the head is of another log")
	ErrTampered = errors.New("auditlog: the chain of the newest file is broken")
)

// Open opens a log for writing, makes it if it is absent, and mends an end that a crash left torn. It refuses a log whose end was cut off: appending would hide it.
func Open(o Options) (*Log, error) {
	for _, dir := range []string{o.Dir, filepath.Dir(o.Head)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("auditlog: %w", err)
		}
	}
	l := &Log{o: o, open: forAppending, remove: os.Remove, sealed: syncDir, prev: noHash}
	if err := l.acquire(); err != nil {
		return nil, err
	}
	if err := l.resume(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Log) acquire() error {
	lock, err := os.OpenFile(filepath.Join(l.o.Dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("auditlog: %w", err)
	}
	how := unix.LOCK_EX | unix.LOCK_NB
	if l.o.Wait {
		how = unix.LOCK_EX
	}
	if err := unix.Flock(int(lock.Fd()), how); err != nil {
		return errors.Join(ErrInUse, lock.Close())
	}
	l.lock = lock
	return nil
}

// Append writes an act and returns when it is on the disk. An error means that it may not be there: who audits refuses the action then. Appends that come
// while another one writes share the next write and the next sync.
func (l *Log) Append(ctx context.Context, a Act) error { return l.AppendAll(ctx, []Act{a}) }

// AppendAll writes acts in their order, with one write and one sync for all of them, and returns when they are on the disk. An error means that any of them may
// not be there.
func (l *Log) AppendAll(ctx context.Context, acts []Act) error {
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // the caller's own
	}
	acts = slices.Clone(acts)
	for i, a := range acts {
		acts[i].Reason, acts[i].Target = masked(a.Reason), maskedTarget(a.Target)
	}
	err := l.write(acts...)
	if err != nil {
		l.missed(len(acts))
	}
	return err
}

// write puts records at the end of the chain and returns when they are on the disk. What cannot be written is an error and keeps no other one out.
func (l *Log) write(acts ...Act) error {
	var into *group
	var refused error
	l.mu.Lock()
	for _, a := range acts {
		g, err := l.add(a)
		if refused = errors.Join(refused, err); err == nil {
			into = g // always the same one: mu is let go only by a log that failed, which has none
		} else if l.failed.err != nil {
			break // each try would wait for the disk
		}
	}
	if into == nil || l.failed.err != nil {
		l.mu.Unlock()
		return refused
	}
	return errors.Join(refused, l.sync(into))
}

// add puts a record at the end of the chain, in memory. The caller holds mu.
func (l *Log) add(a Act) (*group, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	if a.At.IsZero() {
		a.At = l.o.Clock.Now()
	}
	if day := a.At.UTC().Format(dayForm); day > l.day { // a clock that goes back opens no file of the past
		l.day, l.salt = day, nil
	}
	if len(a.Personal) > 0 && l.salt == nil {
		salt, err := saltOf(l.o.Dir, l.day, l.o.Random)
		if err != nil {
			l.fail(err)
			return nil, err
		}
		l.salt = salt
	}
	r := Record{
		Seq: l.seq + 1, Day: l.day, At: a.At.UTC().Round(0), Actor: short(a.Actor), Kind: short(a.Kind), Action: short(a.Action), CallID: short(a.CallID),
		Target: short(a.Target),
		Reason: short(a.Reason), Answer: short(a.Answer), Personal: digests(a.Personal, l.salt), Prev: l.prev,
	}
	g := l.waiting()
	if n := len(g.lines); n == 0 || g.lines[n-1].day != l.day {
		g.lines = append(g.lines, lines{day: l.day})
	}
	of := &g.lines[len(g.lines)-1]
	before := len(of.text)
	text, hash, err := r.append(of.text)
	if err != nil || len(text)-before > mostLine {
		return nil, errors.Join(errors.New("auditlog: the act cannot be written"), err)
	}
	of.text = text
	l.seq, l.prev = r.Seq, hash
	g.head = Head{Log: l.id, Seq: l.seq, Hash: l.prev}
	return g, nil
}

// put writes lines and syncs them.
func (l *Log) put(group []lines) error {
	for _, g := range group {
		if err := l.turn(g.day); err != nil {
			return err
		}
		if _, err := l.file.Write(g.text); err != nil {
			return err
		}
	}
	return l.file.Sync()
}

// turn goes on to the file of a day. The file before is synced first, so that no file is newer on the disk than the one its chain comes from.
func (l *Log) turn(day string) error {
	if day == l.fileDay && l.file != nil {
		return nil
	}
	if l.file != nil {
		err := errors.Join(l.file.Sync(), l.file.Close())
		l.file = nil
		if err != nil {
			return err
		}
	}
	file, err := l.open(filepath.Join(l.o.Dir, fileName(day)))
	if err != nil {
		return err
	}
	l.file, l.fileDay = file, day
	return syncDir(l.o.Dir)
}

// remember overwrites the head as a whole; it is one write of one length.
func (l *Log) remember(h Head) error {
	if _, err := l.head.WriteAt([]byte(h.text()), 0); err != nil {
		return fmt.Errorf("auditlog: the remembered head: %w", err)
	}
	return nil
}

// Close ends writing. What was being written has its answer before.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.busy || l.failed.trying != nil {
		over := l.failed.trying
		switch {
		case over != nil:
		case l.flying != nil:
			over = l.flying.done
		default: // between two groups
			over = l.next.done
		}
		l.mu.Unlock()
		<-over
		l.mu.Lock()
	}
	err := l.letGo()
	if l.failed.err == nil {
		l.failed.err = os.ErrClosed
	}
	return errors.Join(err, l.lock.Close())
}

// mostText bounds each member of a record.
const mostText = 2000

// short cuts a text and makes it UTF-8.
func short(text string) string {
	if len(text) > mostText {
		text = text[:mostText]
	}
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // not every file system can
	return d.Close()
}

// now is the time of a record of the log's own.
func (l *Log) now() time.Time { return l.o.Clock.Now() }
