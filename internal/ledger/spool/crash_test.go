package spool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// watched is a file that tells what is done to it, and may die in the middle of its write.
type watched struct {
	file

	name string
	said *[]string
	dies bool
}

func (w watched) Write(p []byte) (int, error) {
	if w.dies {
		_, _ = w.file.Write(p[:len(p)/2])
		panic("the process died")
	}
	*w.said = append(*w.said, "write "+w.name)
	return w.file.Write(p)
}

func (w watched) Sync() error {
	_, err := os.Stat(strings.TrimSuffix(w.name, ".new"))
	*w.said = append(*w.said, "sync "+w.name, "named before: "+map[bool]string{true: "no", false: "yes"}[os.IsNotExist(err)])
	return w.file.Sync()
}

func watch(path string, said *[]string, dies bool) *Dir {
	d := Open(path)
	d.files = diskFiles{create: func(path string) (file, error) {
		f, err := createFile(path)
		return watched{f, path, said, dies}, err
	}}
	return d
}

var fact = call.Fact{RowID: "row", Op: "0a", Event: call.Event{Kind: call.EventContact, ContactID: "contact"}}

func TestAFactIsOnTheDiskBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var said []string
	if err := watch(dir, &said, false).Keep(fact); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, "0a.json.new")
	if got, want := strings.Join(said, "; "), "write "+temp+"; sync "+temp+"; named before: no"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestAProcessThatDiesInAWriteLeavesNoHalfFact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_ = watch(dir, new([]string), true).Keep(fact)
	}()
	if facts, err := Open(dir).Pending(); err != nil || len(facts) > 0 {
		t.Errorf("%d facts: %v", len(facts), err)
	}
}

func TestAFactIsKeptAlsoWhenItsFolderWasRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	d := Open(dir)
	if err := d.Keep(fact); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := d.Keep(fact); err != nil {
		t.Fatal(err)
	}
	if facts, err := Open(dir).Pending(); err != nil || len(facts) != 1 {
		t.Errorf("%d facts: %v", len(facts), err)
	}
}
