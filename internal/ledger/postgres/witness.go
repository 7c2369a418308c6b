package postgres

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// The witness is a small file on the machine of a process that says how far the process saw the ledger: its id, its incarnation and the number of
// the newest write. A database that was restored from a backup is behind it (protocol.md section 11).
//
// It is synced once, when it is made, and from then on written after each commit and before its writes are answered, without a sync of its own: a
// killed process loses nothing that it wrote, and after a power cut the witness may lag behind the ledger but never lead it (docs/adr/0004).
//
// A machine that joins has no witness yet and must be taken in, so a missing one says nothing here, other than for a ledger in a file. What
// every process compares beside it is the server's system identifier and timeline, and those are in the ledger itself (docs/adr/0022).
//
// Two slots are written in turn, each with a checksum, so that a torn write spoils at most the newer one. Processes of one machine may share a
// witness: it is locked while it is read and written, and it never says less than before of one incarnation.
type witness struct {
	mu   sync.Mutex
	file *os.File
	last testimony
}

const (
	slotSize  = 512
	slotTitle = "ringonce-witness-postgres-1"
)

// testimony is what a witness says.
type testimony struct {
	id          string // empty when it says nothing that can be read
	incarnation string
	highWater   int64
	missing     bool // the file was not there, or empty
}

// openWitness opens the file, making it if it does not exist, and reads what it says.
func openWitness(path string) (*witness, testimony, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, testimony{}, err
	}
	w := &witness{file: file}
	var said testimony
	err = w.locked(func() (err error) {
		said, _, err = testify(file)
		return err
	})
	if err != nil {
		return nil, testimony{}, errors.Join(err, file.Close())
	}
	return w, said, nil
}

// readWitness reads what a witness says. One that is not there is no error.
func readWitness(path string) (testimony, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return testimony{missing: true}, nil
	}
	if err != nil {
		return testimony{}, err
	}
	defer func() { _ = file.Close() }()
	said, _, err := testify(file)
	return said, err
}

// locked runs fn while no other process and no other goroutine uses the file.
func (w *witness) locked(fn func() error) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := unix.Flock(int(w.file.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Flock(int(w.file.Fd()), unix.LOCK_UN)) }()
	return fn()
}

// testify reads what the newer slot says, and its turn.
func testify(file *os.File) (said testimony, newest int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return testimony{}, 0, err
	}
	said.missing = info.Size() == 0
	for slot := range int64(2) {
		var buf [slotSize]byte
		if n, err := file.ReadAt(buf[:], slot*slotSize); n < slotSize || err != nil {
			continue // a file of one slot is as new as a file of two
		}
		if found, turn, whole := parseSlot(buf[:]); whole && turn > newest {
			said, newest = found, turn
		}
	}
	return said, newest, nil
}

// record writes the next slot, unless another process of this machine wrote as much already. keep makes it survive a power cut.
func (w *witness) record(next testimony, keep bool) error {
	if next == w.lastSaid() && !keep {
		return nil
	}
	return w.locked(func() error {
		said, turn, err := testify(w.file)
		if err != nil {
			return err
		}
		if said.id == next.id && said.incarnation == next.incarnation && said.highWater >= next.highWater {
			w.last = next
			return w.kept(keep)
		}
		turn++
		signed := strings.Join([]string{slotTitle, next.id, next.incarnation, strconv.FormatInt(next.highWater, 10), strconv.FormatInt(turn, 10)}, " ")
		sum := sha256.Sum256([]byte(signed))
		slot := signed + " " + hex.EncodeToString(sum[:])
		if len(slot) >= slotSize {
			return errors.New("the ledger's id is too long")
		}
		slot += strings.Repeat(" ", slotSize-1-len(slot)) + "\n"
		if _, err := w.file.WriteAt([]byte(slot), turn%2*slotSize); err != nil {
			return err
		}
		w.last = next
		return w.kept(keep || said.missing)
	})
}

func (w *witness) lastSaid() testimony {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// kept makes the content and the name of the file survive a power cut, if it is to be kept.
func (w *witness) kept(keep bool) error {
	if !keep {
		return nil
	}
	folder, err := os.Open(filepath.Dir(w.file.Name()))
	if err != nil {
		return err
	}
	return errors.Join(w.file.Sync(), folder.Sync(), folder.Close())
}

func (w *witness) close() error { return w.file.Close() }

func parseSlot(slot []byte) (said testimony, turn int64, ok bool) {
	fields := strings.Split(string(bytes.TrimRight(slot, " \n\x00")), " ")
	if len(fields) != 6 || fields[0] != slotTitle {
		return testimony{}, 0, false
	}
	want := sha256.Sum256([]byte(strings.Join(fields[:5], " ")))
	if fields[5] != hex.EncodeToString(want[:]) {
		return testimony{}, 0, false
	}
	said = testimony{id: fields[1], incarnation: fields[2]}
	var bad error
	said.highWater, bad = strconv.ParseInt(fields[3], 10, 64)
	turn, err := strconv.ParseInt(fields[4], 10, 64)
	return said, turn, bad == nil && err == nil
}
