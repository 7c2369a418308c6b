package dynamodb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// opened opens a ledger and returns the error.
func (f *fake) opened(tune func(*Options)) (*Ledger, error) {
	o := f.on()
	tune(&o)
	return Open(f.t.Context(), o)
}

func TestARestoredTableIsNoticedAndRecovered(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.open(nil)
	f.ID, f.RestoredFrom = "table-2", noon.Add(-time.Hour) // DynamoDB restores into a new table
	if _, err := f.opened(func(*Options) {}); !errors.Is(err, call.ErrWentBack) || call.CodeOf(err) != call.CodeLedgerWentBack {
		t.Errorf("open: %v, want ErrWentBack with its code", err)
	}
	if reason, err := f.open(func(o *Options) { o.ReadOnly = true }).WentBack(t.Context()); err != nil || reason == "" {
		t.Errorf("a reader says %q, %v", reason, err)
	}
	l := f.open(func(o *Options) { o.AllowRecovery = true })
	for what, err := range map[string]error{
		"create": second(l.Create(t.Context(), accepted(t, "a", nil))), "close the recovery": l.CloseRecovery(t.Context()),
		"note": l.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteConflict}), "beat": l.Beat(t.Context(), noon),
	} {
		if !errors.Is(err, call.ErrWentBack) {
			t.Errorf("%s before the recovery: %v, want ErrWentBack", what, err)
		}
	}
	if identity, err := l.Identity(t.Context()); err != nil || !identity.LastWrite.Equal(f.RestoredFrom) {
		t.Errorf("the newest write is of %s (%v), want the time of the backup", identity.LastWrite, err)
	}
	if err := l.BeginRecovery(t.Context(), call.Recovery{Backup: noon.Add(-time.Hour), Restored: noon}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(t.Context(), accepted(t, "a", nil)); err != nil {
		t.Errorf("create after the recovery: %v", err)
	}
	if reason, err := f.open(func(o *Options) { o.ReadOnly = true }).WentBack(t.Context()); err != nil || reason != "" {
		t.Errorf("a reader of the recovered ledger says %q, %v", reason, err)
	}
	identity, err := f.open(nil).Identity(t.Context())
	if err != nil || identity.Epoch != 2 || identity.Recovery == nil {
		t.Errorf("the next process reads %+v (%v), want epoch 2 and an open recovery", identity, err)
	}
}

func second[A any](_ A, err error) error { return err }

func TestATableThatIsNotSafeIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*fake){
		"a global table":       func(f *fake) { f.Replicas = true },
		"a table without due":  func(f *fake) { f.Hidden = []string{indexDue} },
		"no ledger to read":    nil,
		"a ledger of tomorrow": func(f *fake) { f.open(nil); f.Items[metaKey][metaFormat] = tabletest.Value{N: new("9")} },
	} {
		f := newFake(t)
		if spoil != nil {
			spoil(f)
		}
		_, err := f.opened(func(o *Options) { o.ReadOnly = spoil == nil })
		if name == "a ledger of tomorrow" {
			if !errors.Is(err, call.ErrNewerRow) {
				t.Errorf("%s: %v, want ErrNewerRow", name, err)
			}
		} else if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != "ledger.table" || refused.Fix == "" {
			t.Errorf("%s: %v, want a refusal of ledger.table", name, err)
		}
	}
}

func TestAQuestionToAMissingIndexIsRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.Hidden = []string{indexContact, indexRecipient, indexList}
	l := f.open(nil)
	_, _, listErr := l.List(t.Context(), call.Filter{})
	for index, err := range map[string]error{
		indexContact: second(l.ByContact(t.Context(), "c")), indexRecipient: second(l.ByRecipient(t.Context(), "r", 1)), indexList: listErr,
	} {
		if call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("without the index %s: %v, want a refusal", index, err)
		}
	}
	if _, err := l.Due(t.Context(), noon, 10); err != nil {
		t.Errorf("due: %v", err)
	}
}

func TestSettingsThatCannotBeUsedAreRefusedByName(t *testing.T) {
	t.Parallel()
	for field, spoil := range map[string]func(*Options){
		"ledger.table":        func(o *Options) { o.Table = "" },
		"ledger.region":       func(o *Options) { o.Region = "" },
		"ledger.suppressions": func(o *Options) { o.Suppressions = "some" },
		"identity":            func(o *Options) { o.Mode = "secret" },
		"identity.key_file":   func(o *Options) { o.Mode = call.IdentityHMAC },
		"ledger":              func(o *Options) { o.Clock = nil },
	} {
		_, err := newFake(t).opened(spoil)
		if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != field || refused.Code != call.CodeConfiguration {
			t.Errorf("%s: %v, want a refusal that names it", field, err)
		}
	}
}

// TestTheDictionaryNeverChanges holds format 1: with another dictionary no stored call can be read.
func TestTheDictionaryNeverChanges(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte(dictionary))
	if got := hex.EncodeToString(digest[:]); got != "305ffc0385649c1191f9df6e5576804d79117fa9a17637a9b82f54274f881571" {
		t.Errorf("the dictionary of format 1 has the hash %s: make a new format instead", got)
	}
}

func TestDamagedAndNewerBlobsAreErrors(t *testing.T) {
	t.Parallel()
	var p packer
	good, err := p.pack([]byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	newer := append([]byte{format + 1}, good[1:]...)
	for name, c := range map[string]struct {
		packed []byte
		want   error
	}{"empty": {nil, errDamaged}, "cut": {good[:len(good)-3], errDamaged}, "newer": {newer, call.ErrNewerRow}} {
		if _, err := unpack(c.packed); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for cut := range 12 {
		var f framer
		f.text("abc")
		f.hex("00ff")
		f.number(-5)
		ps := parser{buf: f.buf[:min(cut, len(f.buf))]}
		_, _, _ = ps.text(), ps.hex(), ps.number()
		if (ps.err != nil) != (cut < len(f.buf)) {
			t.Errorf("cut to %d of %d bytes: error %v", cut, len(f.buf), ps.err)
		}
	}
}

func TestAnEndedContextSendsNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Create(ctx, accepted(t, "a", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}
	if n := len(f.Taken()); n > 0 {
		t.Errorf("%d operations were sent", n)
	}
}
