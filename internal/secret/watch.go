package secret

import (
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// lookFloor is how often the files of a watched value are looked at, at most.
const lookFloor = time.Second

// Watched is a value made of files with secrets, made again when one of them changes. Files that cannot be used leave the value of before, and the log
// says so once: a slip of an editor must not end what works. It is safe for concurrent use.
//
// A value is only lent ([Watched.Use]), so that the one which is replaced has no user any more and can be overwritten.
type Watched[T any] struct {
	o    WatchOptions[T]
	mu   sync.Mutex
	now  T
	look time.Time
	seen []fs.FileInfo // the files that the value is of; nil for one that is not there
	fail string        // why the last reading failed; empty: it did not
}

// WatchOptions say what is watched. All members but Drop are required.
type WatchOptions[T any] struct {
	Name  string // of the setting, for the log
	Files []string
	Read  func() (T, error) // makes the value of the files; its error holds nothing of a secret
	Drop  func(T)           // overwrites a value that nobody uses any more; nil where it holds no secret
	Clock call.Clock
	Log   *slog.Logger
}

// Watch reads the value for the first time.
func Watch[T any](o WatchOptions[T]) (*Watched[T], error) {
	w := &Watched[T]{o: o, look: o.Clock.Now(), seen: statAll(o.Files)}
	var err error
	w.now, err = o.Read()
	return w, err
}

// Use lends the newest value that could be read. It must not be kept.
func (w *Watched[T]) Use(with func(T)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reload()
	with(w.now)
}

// reload reads files that are not those which the value is of, at each look until they can be read.
func (w *Watched[T]) reload() {
	now := w.o.Clock.Now()
	if since := now.Sub(w.look); since >= 0 && since < lookFloor {
		return
	}
	w.look = now
	stamps := statAll(w.o.Files)
	if sameFiles(stamps, w.seen) {
		w.fail = ""
		return
	}
	next, err := w.o.Read()
	if err != nil {
		if w.fail != err.Error() {
			w.o.Log.Error("a secret was not read again; that of before is still used", slog.String("setting", w.o.Name), slog.String("error", err.Error()), slog.Bool("alarm", true))
		}
		w.fail = err.Error()
		return
	}
	before := w.now
	w.now, w.seen, w.fail = next, stamps, ""
	if w.o.Drop != nil {
		w.o.Drop(before)
	}
	w.o.Log.Info("a secret was read again", slog.String("setting", w.o.Name))
}

func statAll(files []string) []fs.FileInfo {
	all := make([]fs.FileInfo, len(files))
	for i, file := range files {
		if info, err := os.Stat(file); err == nil {
			all[i] = info
		}
	}
	return all
}

func sameFiles(a, b []fs.FileInfo) bool {
	for i := range a {
		switch {
		case (a[i] == nil) != (b[i] == nil):
			return false
		case a[i] == nil:
		case !os.SameFile(a[i], b[i]), a[i].Size() != b[i].Size(), !a[i].ModTime().Equal(b[i].ModTime()), a[i].Mode() != b[i].Mode():
			return false
		}
	}
	return true
}
