package disktest_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/disktest"
)

// must fails the test for the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// kept counts in how many of many cuts a file is there whole, by half and not at all.
func kept(t *testing.T, prepare func(*disktest.Disk), name string, want []byte) (there, half, gone int) {
	t.Helper()
	for seed := range uint64(200) {
		d := disktest.New("/a")
		d.Cut(1000, seed)
		prepare(d)
		switch got, err := d.Restart().Read(name); {
		case errors.Is(err, fs.ErrNotExist):
			gone++
		case err != nil:
			t.Fatal(err)
		case bytes.Equal(got, want):
			there++
		default:
			half++
		}
	}
	return there, half, gone
}

func TestWhatWasSyncedWithItsNameSurvivesEveryCut(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("x"), 5000)
	there, half, gone := kept(t, func(d *disktest.Disk) {
		must(t, d.Write("/a/b", want), d.Sync("/a/b"), d.SyncFolder("/a"))
	}, "/a/b", want)
	if half+gone > 0 {
		t.Errorf("%d there, %d by half, %d gone", there, half, gone)
	}
}

func TestWhatWasNotSyncedIsLostNowAndThen(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("x"), 5000)
	there, half, gone := kept(t, func(d *disktest.Disk) { must(t, d.Write("/a/b", want), d.SyncFolder("/a")) }, "/a/b", want)
	if there == 0 || half == 0 || gone > 0 {
		t.Errorf("without a sync of the file: %d there, %d by half, %d gone", there, half, gone)
	}
	there, half, gone = kept(t, func(d *disktest.Disk) { must(t, d.Write("/a/b", want), d.Sync("/a/b")) }, "/a/b", want)
	if there == 0 || half > 0 || gone == 0 {
		t.Errorf("without a sync of the folder: %d there, %d by half, %d gone", there, half, gone)
	}
	there, _, gone = kept(t, func(d *disktest.Disk) {
		must(t, d.Write("/a/b", want), d.Sync("/a/b"), d.SyncFolder("/a"), d.Rename("/a/b", "/a/c"))
	}, "/a/b", want)
	if there == 0 || gone == 0 {
		t.Errorf("the old name after a rename: %d there, %d gone", there, gone)
	}
}

func TestACutHitsTheEffectThatWasPlannedAndNothingFollows(t *testing.T) {
	t.Parallel()
	d := disktest.New("/a")
	d.Cut(3, 1)
	must(t, d.Write("/a/b", []byte("x"))) // the name and the bytes
	if err := d.Sync("/a/b"); !errors.Is(err, disktest.ErrCut) || d.Hit() != "sync b" {
		t.Errorf("the third effect: %v, hit %q", err, d.Hit())
	}
	if _, err := d.Read("/a/b"); !errors.Is(err, disktest.ErrCut) {
		t.Errorf("read without power: %v", err)
	}
	if got, err := d.Restart().Read("/a/b"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the restart: %q, %v", got, err)
	}
}

func TestTheSameSeedLosesTheSame(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		var seen [2]string
		for i := range seen {
			d := disktest.New("/a")
			d.Cut(6, seed)
			_ = errors.Join(d.Write("/a/b", bytes.Repeat([]byte("x"), 3000)), d.Write("/a/c", bytes.Repeat([]byte("y"), 3000)), d.SyncFolder("/a"), d.Remove("/a/c"))
			after := d.Restart()
			for _, name := range []string{"/a/b", "/a/c"} {
				got, err := after.Read(name)
				if err != nil {
					got = []byte(err.Error())
				}
				seen[i] += string(got) + "|"
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("seed %d: two different disks", seed)
		}
	}
}
