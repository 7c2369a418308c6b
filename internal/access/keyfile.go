package access

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/call"
)

// Record is an API key as the file keeps it: everything but the secret.
type Record struct {
	Prefix   string    `json:"prefix"`            // by which it is found and named
	SHA256   string    `json:"sha256"`            // of the whole key, hex
	Scope    Scope     `json:"scope,omitzero"`    // of a producer's key
	Operator string    `json:"operator,omitzero"` // of an operator's key, which has no scope
	Role     Role      `json:"role,omitzero"`     // of an operator's key: the most that it may do
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // zero: never
	Revoked  time.Time `json:"revoked,omitzero"` // zero: not
	By       string    `json:"by,omitzero"`      // who made it
}

// live reports whether the key is good at an instant.
func (r Record) live(now time.Time) bool {
	return r.Revoked.IsZero() && (r.Expires.IsZero() || now.Before(r.Expires))
}

// Owner names whose key it is, for people.
func (r Record) Owner() string {
	if r.Operator != "" {
		return "operator " + r.Operator
	}
	return r.Scope.Producer
}

// sameOwner reports whether two keys are of one producer, or of one operator.
func (r Record) sameOwner(other Record) bool {
	return r.Operator == other.Operator && r.Scope.Producer == other.Scope.Producer
}

// check refuses a key that is nobody's, or of a producer and an operator at once: what it opens must follow from one line.
func (r Record) check() error {
	switch {
	case r.Operator == "" && r.Role != "":
		return errors.New("a producer's key has a role")
	case r.Operator == "":
		return r.Scope.check()
	case !reflect.ValueOf(r.Scope).IsZero():
		return errors.New("an operator's key has the scope of a producer")
	case !validName(r.Operator):
		return errors.New("the operator's name is not 1 to 64 letters, digits and . _ -")
	case !slices.Contains(ranks, r.Role):
		return errors.New("an operator's role is read, operate or admin")
	case r.Expires.IsZero():
		return errors.New("an operator's key has no end")
	}
	return nil
}

// keyDocument is the whole file.
type keyDocument struct {
	Version int      `json:"version"`
	Keys    []Record `json:"keys"`
}

const (
	keyFileVersion = 1
	mostKeyFile    = 8 << 20
	mostKeys       = 10_000
)

// strict refuses unknown members; duplicates and other cases of a name are refused anyway.
var strict = json.JoinOptions(json.RejectUnknownMembers(true))

// readKeyFile reads the file strictly. One that does not exist holds no keys.
func readKeyFile(path string) (keyDocument, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return keyDocument{Version: keyFileVersion}, nil
	}
	if err != nil {
		return keyDocument{}, badKeyFile(path, "cannot be opened")
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return keyDocument{}, badKeyFile(path, "cannot be looked at")
	case info.Mode().Perm()&0o022 != 0:
		return keyDocument{}, badKeyFile(path, "can be written by others than its owner")
	}
	text, err := io.ReadAll(io.LimitReader(file, mostKeyFile+1))
	if err != nil || len(text) > mostKeyFile {
		return keyDocument{}, badKeyFile(path, "cannot be read, or is larger than 8 MiB")
	}
	var doc keyDocument
	if err := json.Unmarshal(text, &doc, strict); err != nil {
		return keyDocument{}, badKeyFile(path, "is not a file of keys: "+err.Error())
	}
	return doc, doc.check(path)
}

func (d keyDocument) check(path string) error {
	if d.Version != keyFileVersion || len(d.Keys) > mostKeys {
		return badKeyFile(path, fmt.Sprintf("has version %d and %d keys", d.Version, len(d.Keys)))
	}
	seen := map[string]bool{}
	for i, r := range d.Keys {
		sum, err := hex.DecodeString(r.SHA256)
		switch {
		case err != nil || len(sum) != 32:
			return badKeyFile(path, fmt.Sprintf("has no SHA-256 in keys[%d]", i))
		case len(r.Prefix) != prefixSize || seen[r.Prefix]:
			return badKeyFile(path, fmt.Sprintf("has in keys[%d] a prefix that is no prefix or is there twice", i))
		}
		if err := r.check(); err != nil {
			return badKeyFile(path, fmt.Sprintf("is wrong in keys[%d]: %v", i, err))
		}
		seen[r.Prefix] = true
	}
	return nil
}

// writeKeyFile replaces the file as a whole: a reader sees the old one or the new one, also after a power cut.
func writeKeyFile(path string, doc keyDocument) error {
	text, err := json.Marshal(doc, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("access: write the keys: %w", err)
	}
	return replaceFile(path, append(text, '\n'), keepOwner)
}

// replaceFile writes beside, syncs, renames, and syncs the directory. prepare is done to the new file before it has its name.
func replaceFile(path string, text []byte, prepare func(file *os.File, path string) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // of mode 0600
	if err != nil {
		return badKeyFile(path, "cannot be written beside")
	}
	defer func() {
		if _, told := errors.AsType[*call.Error](err); err != nil && !told {
			err = errors.Join(badKeyFile(path, "cannot be written"), err)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, prepare(file, path), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // renamed already; a directory that cannot be opened cannot be synced
	}
	_ = dir.Sync() // not every file system can
	return dir.Close()
}

// keepOwner gives a new file the owner, the group and the mode of the one at path: an administrator's edit must not take the keys from the user that the
// service runs as.
func keepOwner(file *os.File, path string) error {
	var before, now unix.Stat_t
	switch err := unix.Stat(path, &before); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the file of before: %w", err)
	}
	if err := unix.Fstat(int(file.Fd()), &now); err != nil {
		return fmt.Errorf("look at the new file: %w", err)
	}
	if before.Uid != now.Uid || before.Gid != now.Gid {
		if err := file.Chown(int(before.Uid), int(before.Gid)); err != nil {
			return &call.Error{
				Code: call.CodeConfiguration, Field: "access.keys_file", Message: "The file of access.keys_file (" + path + ") belongs to another user or group, from whom this edit would take it.",
				Fix: "Edit it as its owner, or as root.",
			}
		}
	}
	if err := file.Chmod(fs.FileMode(before.Mode & 0o777)); err != nil {
		return fmt.Errorf("give the new file the mode of the one before: %w", err)
	}
	return nil
}

func badKeyFile(path, what string) error {
	return &call.Error{
		Code: call.CodeConfiguration, Field: "access.keys_file", Message: "The file of access.keys_file (" + path + ") " + what + ".",
		Fix: "Keep it as `ringonce access key` writes it, mode 0600, and edit it by that command.",
	}
}
