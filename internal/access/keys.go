package access

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	reloadFloor = time.Second // a file is looked at no oftener
	useFloor    = time.Hour   // uses are written no oftener
)

// Keys are the API keys of a file, read again when it changes. A file that cannot be read leaves the keys of before, and the log says so: a slip of an
// editor must not lock every producer out, and a revocation is seen in the log when it did not take effect.
type Keys struct {
	path  string
	clock call.Clock
	log   *slog.Logger

	mu     sync.Mutex
	by     map[string]Record
	looked time.Time
	stamp  fileStamp // of the file that the keys are of
	failed string    // why the last look failed; empty: it did not
	uses   map[string]time.Time
	wrote  time.Time
}

// OpenKeys reads the keys. A file that does not exist yet holds none.
func OpenKeys(path string, clock call.Clock, log *slog.Logger) (*Keys, error) {
	k := &Keys{path: path, clock: clock, log: log, uses: readUses(path), wrote: clock.Now(), looked: clock.Now()}
	stamp := stampOf(path)
	doc, err := readKeyFile(path)
	if err != nil {
		return k, err
	}
	k.stamp = stamp
	k.take(doc)
	return k, nil
}

// nobody is compared with when a prefix is unknown, so that an unknown key costs the work of a known one.
var nobody = Record{SHA256: "0000000000000000000000000000000000000000000000000000000000000000"}

// find returns the scope of a key. Unknown, wrong, expired and revoked are one answer and one amount of work.
func (k *Keys) find(text string) (Record, bool) {
	key, formed := parseKey(text)
	now := k.clock.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reload(now)
	record, prefix := nobody, ""
	if formed {
		prefix = key.prefix()
		if known, ok := k.by[prefix]; ok {
			record = known
		}
	}
	equal, live := same(record.SHA256, key.hash()), record.live(now)
	if !formed || !equal || !live {
		return Record{}, false
	}
	k.used(prefix, now)
	return record, true
}

// reload reads a file that is not the one the keys are of. A file that could not be read is read again at each look, whatever its stamp: what was wrong with
// it may end without a trace in it, and until then no revocation takes effect.
func (k *Keys) reload(now time.Time) {
	if now.Sub(k.looked) < reloadFloor && !now.Before(k.looked) {
		return
	}
	k.looked = now
	stamp := stampOf(k.path)
	if stamp == k.stamp && k.failed == "" {
		return
	}
	doc, err := readKeyFile(k.path)
	if err != nil {
		if told := k.failed; told != err.Error() {
			k.failed = err.Error()
			k.log.Error("the file of API keys cannot be read; the keys of before stay", slog.Any("error", err))
		}
		return
	}
	k.stamp, k.failed = stamp, ""
	k.take(doc)
	k.log.Info("the file of API keys was read again", slog.Int("keys", len(doc.Keys)))
}

func (k *Keys) take(doc keyDocument) {
	k.by = make(map[string]Record, len(doc.Keys))
	for _, r := range doc.Keys {
		k.by[r.Prefix] = r
	}
}

// used remembers the day, and writes what it remembers once an hour at most. It lies in a file of its own: the file of keys may be mounted read-only.
func (k *Keys) used(prefix string, now time.Time) {
	day := now.UTC().Truncate(24 * time.Hour)
	if k.uses[prefix].Equal(day) {
		return
	}
	k.uses[prefix] = day
	if now.Sub(k.wrote) >= useFloor {
		k.wrote = now
		k.writeUses()
	}
}

// Close writes which keys were used.
func (k *Keys) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.writeUses()
	return nil
}

func (k *Keys) writeUses() {
	text, err := json.Marshal(k.uses, json.Deterministic(true))
	if err = errors.Join(err, replaceFile(k.path+".used", append(text, '\n'), anyOwner)); err != nil {
		k.log.Warn("when API keys were last used cannot be written", slog.String("file", k.path+".used"))
	}
}

// anyOwner lets a new file belong to who made it.
func anyOwner(*os.File, string) error { return nil }

func readUses(path string) map[string]time.Time {
	uses := map[string]time.Time{}
	if text, err := os.ReadFile(path + ".used"); err == nil && len(text) < mostKeyFile {
		_ = json.Unmarshal(text, &uses) // a spoiled one begins anew
	}
	if uses == nil {
		uses = map[string]time.Time{}
	}
	return uses
}
