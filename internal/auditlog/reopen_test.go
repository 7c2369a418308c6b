package auditlog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// actions returns what the records of a log are about, in their order.
func (d *desk) actions(t *testing.T) (all []string, records []auditlog.Record) {
	t.Helper()
	err := auditlog.Each(os.DirFS(d.dir), func(r auditlog.Record) bool {
		all, records = append(all, r.Action), append(records, r)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, records
}

// block puts a directory where the file of the next day belongs, so that nothing can be written there, also not by root.
func (d *desk) block(t *testing.T) (free func()) {
	t.Helper()
	d.clock.move(24 * time.Hour)
	at := filepath.Join(d.dir, "audit-"+d.clock.Now().Format(time.DateOnly)+".jsonl")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALogThatFailedSaysSoAndOpensItselfAgainWhenItCanBeWritten(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.append(t, auditlog.Act{Action: "before"})
	if err := d.Usable(); err != nil {
		t.Fatal(err)
	}
	free := d.block(t)
	for range 3 {
		if err := d.Append(t.Context(), auditlog.Act{Action: "lost"}); err == nil {
			t.Fatal("it was written")
		}
		if err := d.Usable(); err == nil {
			t.Error("a log that failed is usable")
		}
		d.clock.move(time.Minute)
	}
	free()
	if err := d.Usable(); err != nil {
		t.Errorf("it can be written and is not opened again: %v", err)
	}
	d.append(t, auditlog.Act{Action: "after"})
	actions, records := d.actions(t)
	if want := []string{auditlog.ActionGenesis, "before", auditlog.ActionReopened, "after"}; !slices.Equal(actions, want) {
		t.Fatalf("%v", actions)
	}
	if r := records[2]; !strings.Contains(r.Reason, "up to 3 acts") || r.Kind != "system" {
		t.Errorf("%+v", r)
	}
	if r := d.report(t); !r.Sound() {
		t.Errorf("%+v", r)
	}
}

func TestALogThatFailedIsTakenUpByTheNextActToo(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	free := d.block(t)
	if err := d.Append(t.Context(), auditlog.Act{Action: "lost"}); err == nil {
		t.Fatal("it was written")
	}
	free()
	if err := d.Append(t.Context(), auditlog.Act{Action: "too soon"}); err == nil {
		t.Error("it is tried without a pause")
	}
	d.clock.move(time.Minute)
	d.append(t, auditlog.Act{Action: "after"})
	if r := d.report(t); !r.Sound() {
		t.Errorf("%+v", r)
	}
}

func TestNoSecondWriterGetsInWhileALogThatFailedIsTakenUp(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	free := d.block(t)
	_ = d.Append(t.Context(), auditlog.Act{Action: "lost"})
	refused := func(when string) {
		t.Helper()
		if other, err := auditlog.Open(d.options()); err == nil {
			_ = other.Close()
			t.Error("a second writer gets in " + when)
		}
	}
	refused("while it is failed")
	free()
	d.clock.move(time.Minute)
	if err := d.Usable(); err != nil {
		t.Fatal(err)
	}
	refused("after it was taken up")

	free = d.block(t)
	_ = d.Append(t.Context(), auditlog.Act{Action: "lost"})
	free()
	d.clock.move(time.Minute)
	lock := filepath.Join(d.dir, "lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	other, err := auditlog.Open(d.options()) // holds a lock, of another file
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Usable(); err == nil {
		t.Error("it is taken up beside the writer that has it now")
	}
	if err := other.Append(t.Context(), auditlog.Act{Action: "of the other"}); err != nil {
		t.Error(err)
	}
	_ = other.Close()
}

func TestALogThatFailedAndWasCutOffMeanwhileIsNotTakenUp(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.append(t, auditlog.Act{Action: "before"})
	newest := d.newest(t)
	free := d.block(t)
	_ = d.Append(t.Context(), auditlog.Act{Action: "lost"})
	free()
	content, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.SplitAfter(string(content), "\n")[0]
	if err := os.WriteFile(newest, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	d.clock.move(time.Minute)
	if err := d.Usable(); err == nil {
		t.Error("a log that was cut off is continued")
	}
}

func TestALogWhoseSaltCannotBeWrittenIsNotUsable(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	at := filepath.Join(d.dir, "salt-"+d.clock.Now().Format(time.DateOnly))
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	personal := auditlog.Act{Action: "personal", Personal: map[string]string{"number": "+819000000001"}}
	for range 3 {
		if err := d.Append(t.Context(), personal); err == nil {
			t.Fatal("it was written")
		}
		d.clock.move(time.Minute)
		if err := d.Usable(); err == nil {
			t.Error("a log that cannot write what is personal is usable")
		}
		d.clock.move(time.Minute)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := d.Usable(); err != nil {
		t.Error(err)
	}
	d.append(t, personal)
	if r := d.report(t); !r.Sound() {
		t.Errorf("%+v", r)
	}
}

func TestALogThatIsClosedIsNotTakenUp(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	free := d.block(t)
	_ = d.Append(t.Context(), auditlog.Act{Action: "lost"})
	free()
	d.close(t)
	d.clock.move(time.Hour)
	if err := d.Usable(); err == nil {
		t.Error("a closed log is usable")
	}
	d.open(t)
	d.append(t, auditlog.Act{Action: "after"})
}
