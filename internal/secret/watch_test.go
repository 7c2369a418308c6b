package secret_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/secret"
)

// hand is a clock that is moved.
type hand struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hand) Sleep(context.Context, time.Duration) error { return errors.New("nobody sleeps here") }

func (h *hand) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// kept is a watched file.
type kept struct {
	t     *testing.T
	path  string
	clock hand
	log   bytes.Buffer
	reads int
	value *secret.Watched[secret.Secret]
}

func keep(t *testing.T, content string) *kept {
	t.Helper()
	k := &kept{t: t, path: filepath.Join(t.TempDir(), "secret"), clock: hand{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}}
	k.write(content, 0o600)
	var err error
	k.value, err = secret.Watch(secret.WatchOptions[secret.Secret]{
		Name: "webhooks[0].secret_file", Files: []string{k.path}, Clock: &k.clock, Log: slog.New(slog.NewJSONHandler(&k.log, nil)), Drop: secret.Secret.Drop,
		Read: func() (secret.Secret, error) {
			k.reads++
			return secret.ReadFile(k.path)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// write puts a new file into the place of the one before.
func (k *kept) write(content string, mode os.FileMode) {
	k.t.Helper()
	if err := os.WriteFile(k.path+".new", []byte(content), mode); err != nil {
		k.t.Fatal(err)
	}
	if err := os.Rename(k.path+".new", k.path); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kept) is(want string) {
	k.t.Helper()
	k.value.Use(func(s secret.Secret) {
		if got := string(s.Reveal()); got != want {
			k.t.Errorf("%q is used, want %q", got, want)
		}
	})
}

func TestAWatchedSecretIsTheOneOfItsFile(t *testing.T) {
	t.Parallel()
	k := keep(t, "the first")
	k.write("the second", 0o600)
	k.is("the first") // looked at a moment ago
	k.clock.move(time.Second)
	k.is("the second")
	for range 5 {
		k.clock.move(time.Hour)
		k.is("the second")
	}
	if k.reads != 2 {
		t.Errorf("it was read %d times", k.reads)
	}
	k.write("the third!", 0o600) // as long as the one before
	k.clock.move(-time.Hour)     // a clock that is put back keeps nothing from being read
	k.is("the third!")
}

func TestASecretThatCannotBeReadLeavesTheOneOfBeforeAndIsToldOnce(t *testing.T) {
	t.Parallel()
	k := keep(t, "the first")
	for _, spoil := range []func(){
		func() { k.write("the second "+value, 0o604) },
		func() {
			if err := os.Remove(k.path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		k.log.Reset()
		spoil()
		for range 3 {
			k.clock.move(time.Second)
			k.is("the first")
		}
		if told := strings.Count(k.log.String(), `"alarm":true`); told != 1 || !strings.Contains(k.log.String(), "webhooks[0].secret_file") || shows(k.log.String()) {
			t.Errorf("it is told %d times: %s", told, k.log.String())
		}
	}
	k.write("the third", 0o600)
	k.clock.move(time.Second)
	k.is("the third")
}

// Whoever was lent the secret of before sees it until the end of the use, and nobody after that.
func TestASecretThatIsReplacedIsOverwritten(t *testing.T) {
	t.Parallel()
	k := keep(t, "the first")
	var before []byte
	k.value.Use(func(s secret.Secret) { before = s.Reveal() })
	k.write("the second", 0o600)
	k.clock.move(time.Second)
	k.is("the second")
	if !bytes.Equal(before, make([]byte, len("the first"))) {
		t.Errorf("%q is still in memory", before)
	}
}

func TestASecretIsWholeForEveryUserWhileItIsReplaced(t *testing.T) {
	t.Parallel()
	const a, b = "aaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbb"
	k := keep(t, a)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				k.value.Use(func(s secret.Secret) {
					if got := string(s.Reveal()); got != a && got != b {
						t.Errorf("%q is used", got)
					}
				})
			}
		})
	}
	for n := range 50 {
		k.write([]string{a, b}[n%2], 0o600)
		k.clock.move(time.Second)
	}
	wg.Wait()
}

// Who was lent a secret has it whole to the end of the use: the one that finds a new file waits.
func TestASecretThatIsLentIsNotOverwritten(t *testing.T) {
	t.Parallel()
	k := keep(t, "the first")
	after := make(chan struct{})
	k.value.Use(func(s secret.Secret) {
		k.write("the second", 0o600)
		k.clock.move(time.Second)
		go func() {
			defer close(after)
			k.is("the second")
		}()
		for range 1000 {
			runtime.Gosched()
			if got := string(s.Reveal()); got != "the first" {
				t.Fatalf("it is %q while it is lent", got)
			}
		}
	})
	<-after
}

func TestAFileThatCannotBeReadAtTheStartIsAnError(t *testing.T) {
	t.Parallel()
	_, err := secret.Watch(secret.WatchOptions[secret.Secret]{
		Clock: &hand{}, Read: func() (secret.Secret, error) { return secret.ReadFile(filepath.Join(t.TempDir(), "none")) },
	})
	if err == nil {
		t.Error("it is taken")
	}
}
