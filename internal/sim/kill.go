package sim

import (
	"errors"
	"io/fs"
	"os"
)

// mortal is a ledger that a process leaves behind otherwise when it dies than when it ends. Memory and DynamoDB hold nothing that their Close would
// put in order.
type mortal interface{ Kill() }

// logLeft is the count of processes that left a log which the next one has to recover.
const logLeft = "killed with a log"

// kill ends a process as its death does. What SQLite leaves then is its log: the last connection that closes would move it into the database, and
// nothing would ever be recovered. So the files are copied when the ledger is dead and before it is closed, and put back after that; the lock goes
// with the process, and the witness stays as it was. What has come half into the log is not seen here, but by the power cuts of package sqlite.
func (w *World) kill(k *worker) {
	k.shut()
	w.keepCounts(k)
	var left []remains
	if dying, ok := k.app.Store.Ledger.(mortal); ok {
		dying.Kill()
		left = w.remains()
	}
	w.close(k)
	for _, r := range left {
		if err := os.WriteFile(r.name, r.content, 0o600); err != nil {
			w.find("leave a ledger as it was: %v", err)
		}
	}
	if died := w.options.Plant.Died; died != nil && left != nil {
		died(left[0].name)
	}
}

// remains is a file that a dead process leaves.
type remains struct {
	name    string
	content []byte
}

// remains returns the files of a SQLite ledger, the database first.
func (w *World) remains() (left []remains) {
	path := w.path("ledger", "ringonce.db")
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		content, err := os.ReadFile(name)
		switch {
		case err == nil:
			left = append(left, remains{name, content})
		case name == path || !errors.Is(err, fs.ErrNotExist):
			w.find("look at what a process has left: %v", err)
		}
		if name == path+"-wal" && len(content) > 0 {
			w.mark(logLeft)
		}
	}
	return left
}
