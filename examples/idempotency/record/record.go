// Package record is the smallest record of your own: a file for each token, written before the request and completed with its answer. It
// makes an effect happen once where the token of the API does not: where nobody says what a repeat does, and after the token has ended.
//
// It is as good as its directory: everybody who may send the request must share it. ringonce keeps the same two writes in a ledger (SQLite,
// PostgreSQL, DynamoDB), with history, evidence and conflicts.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
)

// ErrInDoubt says that the request was sent, or is being sent, that its answer is not known, and that it must not be sent again: whether it
// had its effect is for evidence or a person to find out.
var ErrInDoubt = errors.New("record: in doubt, a request was sent and its answer is not known")

// ErrNothingHappened is wrapped by an error of send that proves that the request had no effect, such as a refusal.
var ErrNothingHappened = errors.New("record: nothing happened")

// Record is a directory of requests. The zero value of Now is the clock of the machine.
type Record struct {
	Dir string
	Now func() time.Time
}

// entry is the content of a file.
type entry struct {
	Intent time.Time `json:"intent"`           // when the request was first about to be sent
	Answer string    `json:"answer,omitempty"` // empty until it is known
	fresh  bool      // this process wrote the intent
}

// Once returns what send returned for the token, now or at any time before. A request whose answer was lost is sent again only where the
// rule says that a repeat has no second effect and the token is not about to end; else the error is ErrInDoubt. An empty answer is an error:
// it could not be told from none.
func (r Record) Once(rule clienttoken.Rule, token string, send func() (string, error)) (string, error) {
	sum := sha256.Sum256([]byte(rule.Service + " " + rule.Operation + "\n" + token))
	path := filepath.Join(r.Dir, hex.EncodeToString(sum[:])+".json")
	e, err := r.claim(path)
	switch {
	case err != nil:
		return "", err
	case e.Answer != "":
		return e.Answer, nil
	case !e.fresh && !mayRepeat(rule, r.now().Sub(e.Intent)):
		return "", ErrInDoubt
	}
	answer, err := send()
	if errors.Is(err, ErrNothingHappened) && e.fresh && !mayRepeat(rule, 0) { // else another process may be sending it too
		return "", errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return "", err
	}
	if answer == "" {
		return "", errors.New("record: the answer is empty")
	}
	e.Answer = answer
	return answer, r.write(path, e, os.Rename)
}

// mayRepeat reports whether the token still answers for a request of this age. A sixth of its life is left alone: clocks differ, and a
// request takes time.
func mayRepeat(rule clienttoken.Rule, age time.Duration) bool {
	switch rule.Repeat {
	case clienttoken.RepeatSame, clienttoken.RepeatIgnored, clienttoken.RepeatRefused:
		return age >= 0 && age < rule.Validity-rule.Validity/6
	case clienttoken.RepeatNatural:
		return true
	case clienttoken.RepeatAgain, clienttoken.RepeatUnsuitable, clienttoken.RepeatUndocumented:
		return false
	}
	return false
}

// claim writes the intent, or returns what was written before. Exactly one process gets a fresh entry.
func (r Record) claim(path string) (entry, error) {
	e := entry{Intent: r.now(), fresh: true}
	err := r.write(path, e, os.Link)
	if !errors.Is(err, fs.ErrExist) {
		return e, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return entry{}, err
	}
	e = entry{}
	return e, json.Unmarshal(data, &e)
}

// write makes the whole file appear at once, and lasts when it returns.
func (r Record) write(path string, e entry, place func(from, to string) error) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(r.Dir, "new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already where place moved it
	if _, err = file.Write(data); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = place(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	dir, err := os.Open(r.Dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (r Record) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}
