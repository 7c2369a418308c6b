package dynamodb

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// clear returns where one of these words can be read in the table: in an attribute as it is, or in what it unpacks to.
func (f *fake) clear(t *testing.T, words ...string) (found []string) {
	t.Helper()
	for pk, it := range f.Backup() {
		raw, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		texts := [][]byte{raw}
		for _, v := range it {
			for _, one := range append([]tabletest.Value{v}, v.L...) {
				texts = append(texts, one.B)
				if plain, err := unpack(one.B); err == nil {
					texts = append(texts, plain)
				}
			}
		}
		for _, word := range words {
			if slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(text, []byte(word)) }) {
				found = append(found, pk+" shows "+word)
			}
		}
	}
	return found
}

// canaries fills a ledger with calls, conflicts and suppressions and returns the words that must not be seen.
func canaries(t *testing.T, f *fake, tune func(*Options)) []string {
	t.Helper()
	l := f.open(tune)
	e := engineOn(t, l, nil)
	small, large := delivery(t, 1), delivery(t, 2)
	for name, value := range incompressible() {
		large.Request.Attributes = map[string]string{name: value, "secret": "canary-attribute"}
	}
	conflict := small
	conflict.Request.Attributes = map[string]string{"secret": "canary-attribute"}
	for _, d := range []call.Delivery{small, large, small, conflict} {
		e.Place(t.Context(), d)
	}
	for _, w := range chain(t, "a", map[string]string{"secret": "canary-attribute"}, 47) {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	words := []string{
		small.Request.Destination.Wire(), strings.TrimPrefix(small.Request.Destination.Wire(), "+81"), "2025550100", "canary-attribute", "ja-JP",
		"notification-", "user-", "n-a", "r-a", "DestinationPhoneNumber", "ringonce-calls", small.ID,
	}
	for _, r := range l.records.values {
		words = append(words, r.row.Fingerprint, r.row.Token, r.entries[0].Op)
	}
	for pk := range f.Backup() {
		notes, err := l.Notes(t.Context(), strings.TrimPrefix(pk, "#n#"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notes.Kept {
			words = append(words, n.Fingerprint)
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

func TestNothingOfARequestIsInClearInAnEncryptedTable(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	words := canaries(t, f, func(o *Options) { encrypted(o); o.Suppressions, o.UniqueTokens = suppressionsAll, true })
	if found := f.clear(t, words...); len(found) > 0 {
		t.Errorf("%q", found)
	}
	kinds := map[string]bool{}
	for pk := range f.Items {
		kinds[pk[:min(3, len(pk))]] = true
	}
	for _, kind := range []string{"#s#", "#h#", "#n#", "#t#", "#k#"} {
		if !kinds[kind] {
			t.Errorf("no item %s was looked at", kind)
		}
	}
}

// TestTheCanariesAreSeenWithoutEncryption is the planted defect: every word is found in a table in clear, or was never there to find.
func TestTheCanariesAreSeenWithoutEncryption(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	words := canaries(t, f, func(o *Options) { o.Suppressions = suppressionsAll })
	for _, word := range words {
		hex := len(word) == 48 && strings.Trim(word, "0123456789abcdef") == "" // an op id, stored as the bytes it stands for
		if found := f.clear(t, word); len(found) == 0 && !hex {
			t.Errorf("%q is nowhere", word)
		}
	}
}

// TestWhatStaysInClear lists the attributes of an encrypted call that are no blobs.
func TestWhatStaysInClear(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	e := engineOn(t, f.open(encrypted), nil)
	e.Place(t.Context(), delivery(t, 0))
	for pk, it := range f.Items {
		if !isRow(pk) {
			continue
		}
		for name := range it {
			if !slices.Contains([]string{attrKey, attrVersion, attrHead, attrData, attrCreated, attrGroup, attrState, attrRecipient, attrContact, attrShard, attrDue}, name) {
				t.Errorf("the attribute %s is in clear and docs/dynamodb.md does not say so", name)
			}
		}
		if !isSealed(blob(it[attrData].B)) {
			t.Error("the blob is not encrypted")
		}
	}
}

// TestEncryptionTurnedOnLater writes whole calls in clear, one with a side item and one with spilled history, and goes on with them
// encrypted: they stay readable, and one write later nothing of them is in clear any more.
func TestEncryptionTurnedOnLater(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	large := incompressible()
	large["secret"] = "canary-attribute"
	calls := [][]call.Write{chain(t, "a", large, 20), chain(t, "b", map[string]string{"secret": "canary-attribute"}, 48)}
	l := f.open(nil)
	for _, writes := range calls {
		for _, w := range writes[:len(writes)-1] {
			if _, err := send(t.Context(), l, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	words := []string{"canary-attribute", "2025550100", "n-a", "n-b"}
	if found := f.clear(t, words...); len(found) < 6 {
		t.Fatalf("the calls in clear show only %q", found)
	}
	on := f.open(encrypted)
	for _, writes := range calls {
		held(t, on, writes[:len(writes)-1])
		if _, err := send(t.Context(), on, writes[len(writes)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if found := f.clear(t, words...); len(found) > 0 {
		t.Errorf("%q", found)
	}
	for _, writes := range calls {
		held(t, f.open(encrypted), writes)
	}
}

// TestEncryptionTurnedOff: a configuration that lost the key is refused; one that says off reads everything and writes in clear.
func TestEncryptionTurnedOff(t *testing.T) {
	t.Parallel()
	f, rows := sealedRows(t)
	_, err := f.opened(func(*Options) {})
	if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != "ledger.kms_key" || refused.Code != call.CodeConfiguration {
		t.Errorf("without a key: %v, want a refusal of ledger.kms_key", err)
	}
	off := f.open(func(o *Options) { o.KMSKey = EncryptionOff })
	held(t, off, rows["a"])
	next := later(t, rows["a"][46])
	if _, err := send(t.Context(), off, next); err != nil {
		t.Fatal(err)
	}
	if _, moved := f.Items["a"][attrSide]; !moved || isSealed(blob(f.Items["a"][attrData].B)) {
		t.Error("the call is written encrypted still")
	}
	held(t, f.open(encrypted), append(slices.Clone(rows["a"]), next))
	if got := f.Items[metaKey].N(metaFormat); got != sealedFormat {
		t.Errorf("the ledger's format is %d: an older program would write it in clear", got)
	}
}

// TestARestoredTableKeepsItsKeys reads a restored table under another name and writes to it with keys of its own.
func TestARestoredTableKeepsItsKeys(t *testing.T) {
	t.Parallel()
	f, rows := sealedRows(t)
	before := f.keyItems()
	f.Table = f.Restore(f.Backup(), noon)
	l := f.open(func(o *Options) { encrypted(o); o.Table, o.AllowRecovery = "restored", true })
	held(t, l, rows["a"])
	if err := l.BeginRecovery(t.Context(), call.Recovery{Backup: noon, Restored: noon}); err != nil {
		t.Fatal(err)
	}
	if _, err := send(t.Context(), l, later(t, rows["a"][46])); err != nil {
		t.Fatal(err)
	}
	if after := f.keyItems(); len(after) != len(before)+1 {
		t.Errorf("%d keys before and %d after", len(before), len(after))
	}
}

// TestAnotherMasterKeyIsUsedAtOnce changes the setting: new blobs are sealed under the new key, old ones stay readable; so too when an alias
// is pointed elsewhere, from the next data key on.
func TestAnotherMasterKeyIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	f, rows := sealedRows(t)
	l := f.open(func(o *Options) { o.KMSKey = kmstest.Other })
	writes := append(slices.Clone(rows["a"]), later(t, rows["a"][46]))
	if _, err := send(t.Context(), l, writes[47]); err != nil {
		t.Fatal(err)
	}
	f.kms.Point(kmstest.Other)
	alias := f.open(func(o *Options) { o.KMSKey = kmstest.Alias })
	writes = append(writes, later(t, writes[47]))
	if _, err := send(t.Context(), alias, writes[48]); err != nil {
		t.Fatal(err)
	}
	f.kms.Point(kmstest.KeyARN) // what the alias sealed before is still opened by the key it named then
	held(t, f.open(func(o *Options) { o.KMSKey = kmstest.Alias }), writes)
	masters := map[string]int{}
	for _, pk := range f.keyItems() {
		masters[f.Items[pk].S(keyMaster)]++
	}
	if masters[kmstest.KeyARN] != 1 || masters[kmstest.Other] != 2 {
		t.Errorf("data keys by master key: %v", masters)
	}
}

// TestAConflictIsKeptOnceEncrypted: the set of conflicts holds no fingerprint, and still tells one from another, in every process.
func TestAConflictIsKeptOnceEncrypted(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(encrypted)
	for _, w := range chain(t, "a", nil, 40) {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	for _, ledger := range []*Ledger{l, f.open(encrypted), f.open(encrypted)} {
		for _, print := range []string{"one", "two"} {
			if err := ledger.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteConflict, At: noon, Fingerprint: print}); err != nil {
				t.Fatal(err)
			}
		}
	}
	notes, err := l.Notes(t.Context(), "a")
	if err != nil || len(notes.Kept) != 2 || notes.Kept[0].Fingerprint != "one" {
		t.Errorf("notes %+v, error %v", notes.Kept, err)
	}
	if set := f.Items["#n#a"][attrConflicts].SS; len(set) != 2 || slices.Contains(set, "one") {
		t.Errorf("the set holds %q", set)
	}
}

// TestALostPartIsNoAbsentCall: a side item or older history that is gone is an error of the call, not a call that never was.
func TestALostPartIsNoAbsentCall(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"#s#a", "#h#a"} {
		f, _ := sealedRows(t)
		for pk := range f.Backup() {
			if strings.HasPrefix(pk, prefix) {
				delete(f.Items, pk)
			}
		}
		if err := whole(t, f, "a"); err == nil || errors.Is(err, call.ErrNotFound) || !errors.Is(err, errDamaged) {
			t.Errorf("without %s: %v", prefix, err)
		}
	}
}
