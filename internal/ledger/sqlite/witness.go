package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// The witness is a small file outside the ledger's directory that says how far the ledger was: its id, its epoch and the number
// of its newest write. A ledger that was restored from a backup is behind its witness, or is another one, and has forgotten rings;
// dialing from it would ring twice (protocol.md section 11).
//
// It is synced once, when it is made, with its name: a witness that is gone speaks against its ledger. From then on it is written after
// each group commit and before the group is answered, without a sync of its own. That is enough: a killed process loses nothing that it
// wrote, and after a power cut the witness may lag behind the ledger, which was synced first, but never lead it, so that a healthy ledger
// is never refused. What the lag costs: a restore to a point within the writes of the seconds before a power cut is not noticed.
//
// Two slots are written in turn, each with a checksum, so that a torn write spoils at most the newer one.
type witness struct {
	file witnessFile
	turn int64 // of the newest slot; the next write is turn+1, in slot turn+1 mod 2
	buf  [slotSize]byte
}

const (
	slotSize  = 256
	slotTitle = "ringonce-witness-1"
)

// witnessFile is the file of a witness, of at least two slots.
type witnessFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Size returns how long the file is.
	Size() (int64, error)
	// Keep makes the content and the name of the file survive a power cut.
	Keep() error
}

// testimony is what a witness says.
type testimony struct {
	id               string // empty when it says nothing that can be read
	epoch, highWater int64
	missing          bool // the file was not there, or empty
}

// openWitness opens the file, making it if it does not exist, and reads what it says.
func openWitness(path string, open func(string) (witnessFile, error)) (*witness, testimony, error) {
	if open == nil {
		open = openWitnessFile
	}
	file, err := open(path)
	if err != nil {
		return nil, testimony{}, err
	}
	said, turn, err := testify(file)
	if err != nil {
		return nil, testimony{}, errors.Join(err, file.Close())
	}
	return &witness{file: file, turn: turn}, said, nil
}

// testify reads what the newer slot says, and its turn.
func testify(file witnessFile) (said testimony, newest int64, err error) {
	size, err := file.Size()
	if err != nil {
		return testimony{}, 0, err
	}
	said.missing = size == 0
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

// record writes the next slot.
func (w *witness) record(identity call.LedgerIdentity) error {
	turn := w.turn + 1
	slot := append(w.buf[:0], slotTitle...)
	slot = append(append(slot, ' '), identity.ID...)
	for _, n := range []int64{identity.Epoch, identity.HighWater, turn} {
		slot = strconv.AppendInt(append(slot, ' '), n, 10)
	}
	sum := sha256.Sum256(slot)
	slot = hex.AppendEncode(append(slot, ' '), sum[:])
	if len(slot) >= slotSize {
		return errors.New("the ledger id is too long")
	}
	for len(slot) < slotSize-1 {
		slot = append(slot, ' ')
	}
	if _, err := w.file.WriteAt(append(slot, '\n'), turn%2*slotSize); err != nil {
		return err
	}
	w.turn = turn
	return nil
}

func parseSlot(slot []byte) (said testimony, turn int64, ok bool) {
	text := string(bytes.TrimRight(slot, " \n\x00"))
	signed, sum, found := cutLast(text)
	want := sha256.Sum256([]byte(signed))
	if !found || sum != hex.EncodeToString(want[:]) {
		return testimony{}, 0, false
	}
	fields := strings.Split(signed, " ")
	if len(fields) != 5 || fields[0] != slotTitle {
		return testimony{}, 0, false
	}
	var numbers [3]int64
	for i := range numbers {
		n, err := strconv.ParseInt(fields[2+i], 10, 64)
		if err != nil {
			return testimony{}, 0, false
		}
		numbers[i] = n
	}
	return testimony{id: fields[1], epoch: numbers[0], highWater: numbers[1]}, numbers[2], true
}

func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

func (w *witness) close() error { return w.file.Close() }

// confront compares the ledger with its witness, and refuses a ledger that went back unless it is opened to be recovered.
func (l *Ledger) confront() error {
	path := l.options.WitnessPath
	w, said, err := openWitness(path, l.options.openWitness)
	if err != nil {
		return &refusal{cause: err, shown: misconfigured("ledger.witness", "Make it writable for this user, or name another file.",
			"The witness at ledger.witness (%s) cannot be opened: %v.", path, rootCause(err))}
	}
	l.witness = w
	reason := contradiction(l.record.identity, said)
	switch {
	case reason == "":
		err := w.record(l.record.identity)
		if err == nil && said.missing {
			err = w.file.Keep()
		}
		if err != nil {
			return &refusal{cause: err, shown: misconfigured("ledger.witness", "Make it writable for this user, or name another file.",
				"The witness at ledger.witness (%s) cannot be written: %v.", path, rootCause(err))}
		}
		return nil
	case l.options.AllowRecovery:
		l.wentBack.Store(true)
		return nil
	default:
		return wentBack(reason)
	}
}

// contradiction says in which way the witness speaks against the ledger; empty when it does not.
func contradiction(ledger call.LedgerIdentity, said testimony) string {
	switch {
	case said.missing && ledger.HighWater == 0:
		return ""
	case said.missing:
		return "Its witness is missing although it holds calls."
	case said.id == "":
		return "Its witness is damaged."
	case said.id != ledger.ID:
		return "Its witness belongs to another ledger: this one is new or was replaced."
	case said.epoch != ledger.Epoch:
		return "Its witness is of another epoch: this is a copy from before or after a recovery."
	case said.highWater > ledger.HighWater:
		return "Its witness has seen " + strconv.FormatInt(said.highWater-ledger.HighWater, 10) + " newer writes: they were lost, for example by a restore."
	default:
		return ""
	}
}

func wentBack(reason string) error {
	return &refusal{cause: call.ErrWentBack, shown: &call.Error{
		Code: call.CodeLedgerWentBack, Field: "ledger.witness",
		Message: "The ledger at ledger.path went back in time and must not dial. " + reason,
		Fix:     "Stop every worker, then run `ringonce ledger recover`.",
	}}
}
