package spool_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/disktest"
	"github.com/ringonce/ringonce/internal/ledger/spool"
)

// onDisk is a spool's files on a disk that can lose its power, without the steps that a defect leaves out.
type onDisk struct {
	*disktest.Disk

	unsynced bool // a file is not synced before it gets its name
	inPlace  bool // a file is written under its name at once
}

func (f onDisk) MakeFolder(name string) error {
	return errors.Join(f.Disk.MakeFolder(name), f.Disk.SyncFolder(path.Dir(name)))
}

func (f onDisk) WriteSynced(name string, content []byte) error {
	if f.inPlace {
		name = strings.TrimSuffix(name, ".new")
	}
	if err := f.Write(name, content); err != nil || f.unsynced {
		return err
	}
	return f.Sync(name)
}

func (f onDisk) Rename(from, to string) error {
	if f.inPlace {
		return nil
	}
	return f.Disk.Rename(from, to)
}

const folder = "/ledger/spool"

// spooled is what a spool answered before its power was cut.
type spooled struct {
	kept, done map[string]bool // answered
	doing      string          // sent last
}

// use keeps facts and forgets every third until there is no power.
func (s *spooled) use(d *spool.Dir, many int) {
	s.kept, s.done = map[string]bool{}, map[string]bool{}
	for i := range many {
		f := fact(fmt.Sprintf("%04x", i*7919%many))
		s.doing = f.Op
		if d.Keep(f) != nil {
			return
		}
		s.kept[f.Op] = true
		if i%3 == 1 {
			if d.Done(f) != nil {
				return
			}
			s.done[f.Op] = true
		}
	}
	s.doing = ""
}

// lost compares what was answered with what is pending after the restart.
func (s *spooled) lost(d *spool.Dir) (wrong []string) {
	facts, err := d.Pending()
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	pending := map[string]call.Fact{}
	for _, f := range facts {
		pending[f.Op] = f
		if !s.kept[f.Op] && f.Op != s.doing {
			wrong = append(wrong, "a fact that nobody gave: "+f.Op)
		}
		if f.Event.ContactID != fact(f.Op).Event.ContactID {
			wrong = append(wrong, "a damaged fact: "+f.Op)
		}
	}
	for op := range s.kept {
		_, there := pending[op]
		if !there && !s.done[op] && op != s.doing {
			wrong = append(wrong, "lost: "+op)
		}
		if there && s.done[op] {
			wrong = append(wrong, "back again: "+op)
		}
	}
	return wrong
}

// cuts cuts the power of a spool at random effects and returns in how many of these something was wrong.
func cuts(t *testing.T, many int, ignores func(string) bool, defect onDisk, report func(seed uint64, hit string, wrong []string)) (losing int, hits map[string]int) {
	t.Helper()
	hits = map[string]int{}
	for seed := range uint64(many) {
		random := rand.New(rand.NewPCG(seed, 5))
		disk := disktest.New("/ledger")
		disk.IgnoreSyncs(ignores)
		disk.Cut(1+random.IntN(60), seed)
		defect.Disk = disk
		var s spooled
		s.use(spool.OpenOn(defect, folder), 1+random.IntN(12))
		after := disk.Restart()
		hits[disk.Hit()]++
		if wrong := s.lost(spool.OpenOn(onDisk{Disk: after}, folder)); len(wrong) > 0 {
			losing++
			report(seed, disk.Hit(), wrong)
		}
	}
	return losing, hits
}

func TestAPowerCutLosesNoFactThatWasKept(t *testing.T) {
	t.Parallel()
	_, hits := cuts(t, 5000, nil, onDisk{}, func(seed uint64, hit string, wrong []string) {
		t.Errorf("seed %d, cut at %s: %s", seed, hit, wrong)
	})
	for _, must := range []string{"make folder spool", "sync folder ledger", "create new", "write new", "sync new", "rename json", "sync folder spool", "remove json"} {
		if hits[must] == 0 {
			t.Errorf("no cut hit: %s", must)
		}
	}
}

func TestThePowerCutsNoticeADefectOfTheSpool(t *testing.T) {
	t.Parallel()
	at := func(name string) func(string) bool { return func(n string) bool { return n == name } }
	for name, d := range map[string]struct {
		ignores func(string) bool
		files   onDisk
	}{
		"a file that is not synced":                 {files: onDisk{unsynced: true}},
		"a file that is written under its own name": {files: onDisk{inPlace: true}},
		"a folder that is not synced":               {ignores: at(folder)},
		"a folder whose own name is not synced":     {ignores: at("/ledger")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			losing, _ := cuts(t, 500, d.ignores, d.files, func(uint64, string, []string) {})
			t.Logf("%d of 500 cuts lost something", losing)
			if losing == 0 {
				t.Error("nobody noticed")
			}
		})
	}
}

func TestAFolderIsMadeWithThoseAboveIt(t *testing.T) {
	t.Parallel()
	dir := path.Join(t.TempDir(), "a", "b", "spool")
	if err := spool.Open(dir).Keep(fact("a1")); err != nil {
		t.Fatal(err)
	}
	if facts, err := spool.Open(dir).Pending(); err != nil || len(facts) != 1 {
		t.Errorf("pending %v, %v", facts, err)
	}
}
