package access_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/access"
)

func TestARevocationThatCouldNotBeReadTakesEffectWhenItCan(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) (mend func() error){
		"a mode that others may write by": func(path string) func() error {
			if err := os.Chmod(path, 0o622); err != nil {
				t.Fatal(err)
			}
			return func() error { return os.Chmod(path, 0o600) }
		},
		"a mode after the file was seen, with its times put back": func(path string) func() error {
			info, err := os.Stat(path)
			if err != nil || os.Chmod(path, 0o666) != nil {
				t.Fatal(err)
			}
			return func() error {
				if err := os.Chmod(path, 0o600); err != nil {
					return err
				}
				return os.Chtimes(path, info.ModTime(), info.ModTime())
			}
		},
		"a directory in its place": func(path string) func() error {
			if err := os.Rename(path, path+".kept"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			return func() error {
				if err := os.Remove(path); err != nil {
					return err
				}
				return os.Rename(path+".kept", path)
			}
		},
	} {
		l := newLab(t)
		key, record := l.add(access.Scope{Producer: "crm"}, time.Time{})
		h := l.guard()
		if _, err := l.file.Revoke(record.Prefix); err != nil {
			t.Fatal(err)
		}
		mend := spoil(l.path)
		for range 5 {
			l.clock.move(time.Second)
			if ask(h, bearer(key)).Code != http.StatusOK {
				t.Errorf("%s: the keys of before do not stay", name)
			}
		}
		if told := strings.Count(l.log.String(), "keys of before stay"); told != 1 {
			t.Errorf("%s: the one failure is told %d times", name, told)
		}
		if err := mend(); err != nil {
			t.Fatal(err)
		}
		l.clock.move(time.Second)
		if code := ask(h, bearer(key)).Code; code != http.StatusUnauthorized {
			t.Errorf("%s: a revoked key is still good after the file was mended: %d", name, code)
		}
	}
}

// TestAnEditInPlaceIsSeenThoughSizeAndTimeAreWhatTheyWere writes into the very file and puts its time of change back, as a tool that synchronizes may.
func TestAnEditInPlaceIsSeenThoughSizeAndTimeAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	key, _ := l.add(access.Scope{Producer: "crm"}, start.Add(24*time.Hour))
	h := l.guard()
	if ask(h, bearer(key)).Code != http.StatusOK {
		t.Fatal("a good key is refused")
	}
	info, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	ended := bytes.ReplaceAll(text, []byte("2026-12-01T"), []byte("2026-11-29T"))
	if bytes.Equal(ended, text) || len(ended) != len(text) {
		t.Fatalf("the key has no end: %s", text)
	}
	if err := os.WriteFile(l.path, ended, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(l.path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	l.clock.move(time.Second)
	if code := ask(h, bearer(key)).Code; code != http.StatusUnauthorized {
		t.Errorf("a key that ended is still good: %d", code)
	}
}

// TestAnEditKeepsWhoMayReadTheFile would else have the service read nothing after the first edit by another user of its group.
func TestAnEditKeepsWhoMayReadTheFile(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, record := l.add(access.Scope{Producer: "crm"}, time.Time{})
	if err := os.Chmod(l.path, 0o640); err != nil {
		t.Fatal(err)
	}
	const other = 12345
	owned := os.Chown(l.path, other, other) == nil // only root may
	if _, err := l.file.Revoke(record.Prefix); err != nil {
		t.Fatal(err)
	}
	var after unix.Stat_t
	if err := unix.Stat(l.path, &after); err != nil {
		t.Fatal(err)
	}
	if mode := after.Mode & 0o777; mode != 0o640 {
		t.Errorf("the mode became %#o", mode)
	}
	if owned && (after.Uid != other || after.Gid != other) {
		t.Errorf("the file belongs to %d:%d now", after.Uid, after.Gid)
	}
}

// TestAFailureThatComesAgainIsToldAgain has a link, as mounted secrets have, that goes to a file that cannot be used, back, and there again.
func TestAFailureThatComesAgainIsToldAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	key, _ := l.add(access.Scope{Producer: "crm"}, time.Time{})
	good, bad := l.path+".good", l.path+".bad"
	if err := os.Rename(l.path, good); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	lead := func(to string) {
		_ = os.Remove(l.path)
		if err := os.Symlink(to, l.path); err != nil {
			t.Fatal(err)
		}
		l.clock.move(time.Second)
	}
	lead(good)
	h := l.guard()
	for i, to := range []string{bad, good, bad, good} {
		if lead(to); ask(h, bearer(key)).Code != http.StatusOK {
			t.Errorf("the key is refused after step %d", i)
		}
	}
	if told := strings.Count(l.log.String(), "keys of before stay"); told != 2 {
		t.Errorf("two failures are told %d times", told)
	}
}
