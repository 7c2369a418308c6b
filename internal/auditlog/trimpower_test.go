package auditlog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// unsealed is a directory whose removals a power cut may undo, until they are synced.
type unsealed struct {
	aside   string
	pending []string // removed since the last sync, oldest first
}

func (u *unsealed) remove(path string) error {
	err := os.Rename(path, filepath.Join(u.aside, filepath.Base(path)))
	if err == nil {
		u.pending = append(u.pending, path)
	}
	return err
}

// cut undoes the oldest of the pending removals and keeps the others, as a file system may that orders nothing.
func (u *unsealed) cut() error {
	if len(u.pending) == 0 {
		return nil
	}
	var err error
	for _, path := range u.pending[:(len(u.pending)+1)/2] {
		err = errors.Join(err, os.Rename(filepath.Join(u.aside, filepath.Base(path)), path))
	}
	return err
}

// TestAPowerCutThatUndoesAnOlderRemovalAndNotANewerOneLeavesALogThatVerifies, and is seen to find a removal that syncs once, at its end.
func TestAPowerCutThatUndoesAnOlderRemovalAndNotANewerOneLeavesALogThatVerifies(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		broken := 0
		for end := 1; end <= 11; end++ {
			l, o := sixDays(t)
			u := unsealed{aside: t.TempDir()}
			met := 0
			l.remove = func(path string) error {
				err := u.remove(path)
				if met++; met == end {
					return errKilled
				}
				return err
			}
			l.sealed = func(string) error {
				if !late {
					u.pending = nil
				}
				return nil
			}
			if _, err := l.Trim(Keep{Days: 2}, ""); !errors.Is(err, errKilled) {
				t.Fatalf("removal %d: %v", end, err)
			}
			if err := errors.Join(l.Close(), u.cut()); err != nil {
				t.Fatal(err)
			}
			head, err := ReadHead(o.Head)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Verify(os.DirFS(o.Dir), Against{Head: head})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Sound() {
				broken++
			}
			if !late && !r.Sound() {
				t.Errorf("removal %d: %+v", end, r.Findings)
			}
		}
		if late && broken == 0 {
			t.Error("removals whose order is not kept are not seen")
		}
	}
}

func TestARemovalThatEndsHalfwayTellsWhatWasRemoved(t *testing.T) {
	t.Parallel()
	l, o := sixDays(t)
	before, err := daysOf(os.DirFS(o.Dir))
	if err != nil {
		t.Fatal(err)
	}
	l.remove = func(path string) error {
		if filepath.Base(path) == fileName(before[2]) {
			return errKilled
		}
		return os.Remove(path)
	}
	r, err := l.Trim(Keep{Days: 2}, "")
	report, unread := Verify(os.DirFS(o.Dir), Against{})
	if unread != nil || !errors.Is(err, errKilled) || len(r.Days) != 2 || r.Records != report.Trimmed || r.Records == 0 {
		t.Errorf("%+v %v, and %d records are gone: %v", r, err, report.Trimmed, unread)
	}
}
