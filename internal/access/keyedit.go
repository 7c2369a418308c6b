package access

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/call"
)

// mostLive is how many live keys a producer has: the one in use, and the next one.
const mostLive = 2

// KeyFile edits the file of API keys. Two editors at once wait for each other.
type KeyFile struct {
	Path   string
	Clock  call.Clock
	Random io.Reader // of crypto/rand
	By     string    // who edits
}

// The ends of operators' keys: they act on everybody's calls, so none is good for ever.
const (
	OperatorKeyLife     = 90 * 24 * time.Hour  // of one that is given no end
	MostOperatorKeyLife = 366 * 24 * time.Hour // the latest end
)

// Add makes a key of a producer and returns its text, which is nowhere else, and its record. A producer has at most two live keys.
func (f KeyFile) Add(s Scope, expires time.Time) (text string, r Record, err error) {
	return f.make(Record{Scope: s, Expires: expires})
}

// AddOperator makes a key of an operator, as Add does of a producer. Without an end it is good for 90 days, and for 366 at most.
func (f KeyFile) AddOperator(name string, role Role, expires time.Time) (text string, r Record, err error) {
	return f.make(Record{Operator: name, Role: role, Expires: f.operatorEnd(expires)})
}

func (f KeyFile) operatorEnd(expires time.Time) time.Time {
	if expires.IsZero() {
		return f.Clock.Now().Add(OperatorKeyLife).UTC().Truncate(time.Second)
	}
	return expires
}

func (f KeyFile) make(of Record) (text string, r Record, err error) {
	if err := of.check(); err != nil {
		return "", Record{}, badScope(err.Error() + ".")
	}
	err = f.edit(func(doc *keyDocument, now time.Time) error {
		text, r, err = f.add(doc, of, now)
		return err
	})
	return text, r, err
}

// add makes a key with the owner, the rights and the end of a record.
func (f KeyFile) add(doc *keyDocument, of Record, now time.Time) (string, Record, error) {
	expires, live := of.Expires, 0
	for _, r := range doc.Keys {
		if r.sameOwner(of) && r.live(now) {
			live++
		}
	}
	if live >= mostLive {
		return "", Record{}, &call.Error{
			Code: call.CodeFieldValue, Field: "producer", Message: fmt.Sprintf("The %s has two live keys.", of.kind()),
			Fix: "Revoke the one that is not used any more: ringonce access key revoke PREFIX.",
		}
	}
	if !expires.IsZero() && !expires.After(now) {
		return "", Record{}, badScope("the expiry is not in the future.")
	}
	if of.Operator != "" && expires.After(now.Add(MostOperatorKeyLife)) {
		return "", Record{}, badScope("the expiry of an operator's key is more than 366 days away.")
	}
	key, err := newKey(f.Random)
	if err != nil {
		return "", Record{}, err
	}
	if slices.ContainsFunc(doc.Keys, func(r Record) bool { return r.Prefix == key.prefix() }) {
		return "", Record{}, errors.New("access: the randomness gave a prefix twice")
	}
	r := of
	r.Prefix, r.SHA256, r.Created, r.By = key.prefix(), key.hash(), now, f.By
	doc.Keys = append(doc.Keys, r)
	return key.text, r, nil
}

// kind names the owner with what it is.
func (r Record) kind() string {
	if r.Operator != "" {
		return r.Owner()
	}
	return "producer " + r.Owner()
}

// Rotate makes a second key with the scope, or the role, of a live one, and lets the old one expire after a time. Both are good until then.
func (f KeyFile) Rotate(prefix string, overlap time.Duration, expires time.Time) (text string, r Record, err error) {
	err = f.edit(func(doc *keyDocument, now time.Time) error {
		i := slices.IndexFunc(doc.Keys, func(r Record) bool { return r.Prefix == prefix && r.live(now) })
		if i < 0 {
			return noKey(prefix)
		}
		of := Record{Scope: doc.Keys[i].Scope, Operator: doc.Keys[i].Operator, Role: doc.Keys[i].Role, Expires: expires}
		if of.Operator != "" {
			of.Expires = f.operatorEnd(expires)
		}
		text, r, err = f.add(doc, of, now)
		if end := now.Add(overlap); err == nil && (doc.Keys[i].Expires.IsZero() || end.Before(doc.Keys[i].Expires)) {
			doc.Keys[i].Expires = end
		}
		return err
	})
	return text, r, err
}

// Revoke ends a key now. Its record stays, so that its prefix in an old log still has a name. Revoking twice changes nothing.
func (f KeyFile) Revoke(prefix string) (r Record, err error) {
	err = f.edit(func(doc *keyDocument, now time.Time) error {
		i := slices.IndexFunc(doc.Keys, func(r Record) bool { return r.Prefix == prefix })
		if i < 0 {
			return noKey(prefix)
		}
		if doc.Keys[i].Revoked.IsZero() {
			doc.Keys[i].Revoked = now
		}
		r = doc.Keys[i]
		return nil
	})
	return r, err
}

// List returns the records in the order they were made, with the day each key was last used, zero when it is not known.
func (f KeyFile) List() ([]Record, map[string]time.Time, error) {
	doc, err := readKeyFile(f.Path)
	return doc.Keys, readUses(f.Path), err
}

// edit reads, changes and replaces the file under a lock that lies beside it.
func (f KeyFile) edit(change func(*keyDocument, time.Time) error) (err error) {
	held, err := os.OpenFile(f.Path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return badKeyFile(f.Path, "cannot be locked")
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX); err != nil {
		return badKeyFile(f.Path, "cannot be locked")
	}
	doc, err := readKeyFile(f.Path)
	if err != nil {
		return err
	}
	if err := change(&doc, f.Clock.Now().UTC().Truncate(time.Second)); err != nil {
		return err
	}
	return writeKeyFile(f.Path, doc)
}

func noKey(prefix string) error {
	if !validName(prefix) {
		prefix = "of the argument"
	}
	return &call.Error{
		Code: call.CodeNotFound, Field: "prefix", Message: "No such key " + prefix + ", or it is not live any more.",
		Fix: "ringonce access key list shows them; a prefix is the part between ro_ and the second _.",
	}
}

func badScope(text string) error {
	return &call.Error{Code: call.CodeFieldValue, Field: "producer", Message: "The key cannot be made: " + text, Fix: "docs/access.md has the forms."}
}
