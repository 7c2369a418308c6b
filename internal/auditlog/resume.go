package auditlog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// resume finds the end of the log, mends it, holds it against the head, and makes the first record of a new log.
func (l *Log) resume() error {
	days, err := daysOf(os.DirFS(l.o.Dir))
	if err != nil {
		return err
	}
	remembered, err := ReadHead(l.o.Head)
	if err != nil {
		return err
	}
	var torn []tail
	if len(days) > 0 {
		if l.id, err = originOf(os.DirFS(l.o.Dir), days); err != nil && len(days) > 1 {
			return errors.Join(ErrTampered, err)
		}
		if torn, err = l.end(days); err != nil {
			return err
		}
	}
	if err := l.hold(remembered); err != nil { // before anything is touched
		return err
	}
	aside, err := l.mend(torn)
	if err != nil {
		return err
	}
	if l.head, err = os.OpenFile(l.o.Head, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("auditlog: the remembered head: %w", err)
	}
	return l.begin(remembered, aside)
}

// hold refuses a log that is older than what is remembered of it, or another one.
func (l *Log) hold(remembered *Head) error {
	switch {
	case l.seq > 0 && l.id == "":
		return ErrTampered
	case remembered == nil:
		return nil
	case l.seq < remembered.Seq, l.id != remembered.Log:
		return ErrCutOff
	case l.seq == remembered.Seq && l.prev != remembered.Hash:
		return ErrTampered
	}
	return nil
}

// begin writes what the log has to say of itself.
func (l *Log) begin(remembered *Head, aside int64) error {
	first, ahead := l.seq == 0, int64(0)
	if remembered != nil {
		ahead = l.seq - remembered.Seq
	}
	if first {
		var id [16]byte
		if _, err := io.ReadFull(l.o.Random, id[:]); err != nil {
			return fmt.Errorf("auditlog: no randomness for the id of the log: %w", err)
		}
		l.id = hex.EncodeToString(id[:])
		if err := l.note(ActionGenesis, l.id); err != nil {
			return err
		}
	}
	if remembered == nil && !first {
		if err := l.note(ActionHeadless, "no head was remembered"); err != nil {
			return err
		}
	}
	if ahead > 0 {
		if err := l.note(ActionAhead, fmt.Sprintf("%d records were not remembered", ahead)); err != nil {
			return err
		}
	}
	if aside > 0 {
		return l.note(ActionRecovered, fmt.Sprintf("%d bytes at the end were put aside", aside))
	}
	return nil
}

func (l *Log) note(action, reason string) error {
	return l.write(Act{At: l.now(), Actor: "auditlog", Kind: kindSystem, Action: action, Reason: reason})
}

// tail is the end of a file behind its last whole record.
type tail struct {
	path  string
	torn  []byte
	whole int64 // bytes before it; 0 when the file holds nothing else
}

// end walks along the newest file and takes up the chain behind its last whole record. What comes after that is an append whose answer nobody got. Files that a
// crash left without any whole record are walked past.
func (l *Log) end(days []string) ([]tail, error) {
	var torn []tail
	for _, day := range slices.Backward(days) {
		path := filepath.Join(l.o.Dir, fileName(day))
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("auditlog: %w", err)
		}
		whole, err := l.walk(content, day)
		if err != nil {
			return nil, err
		}
		if whole < len(content) || whole == 0 {
			torn = append(torn, tail{path: path, torn: content[whole:], whole: int64(whole)})
		}
		if whole > 0 {
			l.day = day
			break
		}
	}
	return torn, nil
}

// mend puts torn ends aside, and destroys none of their bytes.
func (l *Log) mend(torn []tail) (aside int64, err error) {
	for _, t := range torn {
		aside += int64(len(t.torn))
		if len(t.torn) > 0 {
			if err := l.putAside(t.path, t.torn, t.whole); err != nil {
				return 0, err
			}
		}
		if t.whole == 0 {
			if err := os.Remove(t.path); err != nil {
				return 0, fmt.Errorf("auditlog: %w", err)
			}
		}
	}
	return aside, nil
}

// walk returns how many bytes of a file are whole records, and takes up the chain behind them. A record that is whole, and does not follow the one before, was
// not torn by a crash.
func (l *Log) walk(content []byte, day string) (whole int, err error) {
	for len(content) > whole {
		end := bytes.IndexByte(content[whole:], '\n')
		if end < 0 {
			return whole, nil
		}
		r, hash, err := decode(content[whole : whole+end])
		if err != nil {
			return whole, nil //nolint:nilerr // where the whole records end is the answer
		}
		if r.Day != day || whole > 0 && (r.Seq != l.seq+1 || r.Prev != l.prev) {
			return 0, ErrTampered
		}
		l.seq, l.prev = r.Seq, hash
		if r.Action == ActionGenesis && r.Seq == 1 {
			l.id = r.Reason
		}
		whole += end + 1
	}
	return whole, nil
}

// putAside moves torn bytes into a file of their own and cuts them off.
func (l *Log) putAside(path string, torn []byte, whole int64) error {
	name := fmt.Sprintf("%s.torn-%d-%d", path, whole, l.now().UnixNano())
	if err := writeWhole(name, torn); err != nil {
		return err
	}
	if err := os.Truncate(path, whole); err != nil {
		return fmt.Errorf("auditlog: %w", err)
	}
	return nil
}

// originOf returns the id of a log, which its genesis holds, or the newest record of a removal of old days.
func originOf(log fs.FS, days []string) (string, error) {
	first, err := firstOf(log, days)
	if err != nil {
		return "", err
	}
	if first != nil && first.Seq == 1 && first.Action == ActionGenesis {
		return first.Reason, nil
	}
	if first != nil && first.Seq > 1 {
		t, err := trimmedOf(log, days)
		if err != nil {
			return "", err
		}
		if t != nil && (first.Seq <= t.Seq || first.Seq == t.Seq+1 && first.Prev == t.Hash) {
			return t.Log, nil
		}
	}
	return "", errors.New("auditlog: the first record is no genesis, and no removal of old days tells of what was before it")
}
