package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func phone(t testing.TB, number string) call.Phone {
	t.Helper()
	p, err := call.ParsePhone(number)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestANumberOnTheListIsRefusedFromTheNextDialOn(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells)
	list := NewDoNotCall(cells, g.Names)
	mustPass(t, g, aCall("before", ada), noon)
	fresh, err := list.Add(t.Context(), phone(t, ada), DoNotCallEntry{Reason: "opted out", Source: "key-press", By: "flow", At: noon})
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	v := pass(t, g, aCall("n", ada), noon.Add(switchesAge))
	if v.Refuse == nil || v.Refuse.Code != call.CodeDoNotCall || !strings.Contains(v.Refuse.Message, "opted out (key-press)") || strings.Contains(v.Refuse.Error(), ada) {
		t.Fatalf("%+v", v)
	}
	mustPass(t, g, aCall("other", bob), noon.Add(switchesAge))
	if fresh, err = list.Add(t.Context(), phone(t, ada), DoNotCallEntry{Reason: "again", Source: "operator", By: "bob", At: noon.Add(time.Hour)}); err != nil || fresh {
		t.Errorf("a second entry takes the place of the first: %t, %v", fresh, err)
	}
	if removed, err := list.Remove(t.Context(), phone(t, ada), Removal{Reason: "asked for it", By: "ada", At: noon.Add(2 * time.Hour)}); err != nil || !removed {
		t.Fatal(removed, err)
	}
	mustPass(t, g, aCall("n", ada), noon.Add(2*time.Hour))
	entries, next, err := list.List(t.Context(), "", 10)
	if err != nil || next != "" || len(entries) != 1 || entries[0].Removed == nil || entries[0].Number != "+81******0001" {
		t.Errorf("%+v, %q, %v", entries, next, err)
	}
}

func TestAnUrgentCallPassesTheListOnlyWhereTheProfileSaysSo(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	if _, err := NewDoNotCall(cells, gateOn(t, cells).Names).Add(t.Context(), phone(t, ada), DoNotCallEntry{Reason: "r", By: "b", At: noon}); err != nil {
		t.Fatal(err)
	}
	urgent, released := aCall("urgent", ada), aCall("released", ada)
	urgent.Urgent, released.Released = true, "ada"
	for _, c := range []call.Call{urgent, released} {
		if v := pass(t, gateOn(t, cells, ruled(Policy{Urgent: true})), c, noon); v.Refuse == nil {
			t.Errorf("%s passes: %+v", c.Key.NotificationID, v)
		}
		if v := pass(t, gateOn(t, cells, ruled(Policy{Urgent: true, ListedToo: true})), c, noon); !v.Passes() || len(v.Over) != 1 || v.Over[0] != "do_not_call" {
			t.Errorf("%s: %+v, want it to pass and to say so", c.Key.NotificationID, v)
		}
	}
}

// Support finds a number that it is told, and nobody finds a number that he reads.
func TestScenarioV82TheCellsTellNoNumber(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, capped(Cap{3, time.Hour}), slotted(3), limited(Velocity{Most: 9, Per: time.Hour}))
	list := NewDoNotCall(cells, g.Names)
	if _, err := list.Add(t.Context(), phone(t, ada), DoNotCallEntry{Reason: "r", By: "b", At: noon}); err != nil {
		t.Fatal(err)
	}
	mustPass(t, g, aCall("n", bob), noon)
	for _, secret := range []string{ada[1:], bob[1:], ada[3:], bob[3:], "user-1"} {
		if strings.Contains(cells.dump(), secret) {
			t.Errorf("the cells hold %q:\n%s", secret, cells.dump())
		}
	}
	if e, listed, err := list.Check(t.Context(), phone(t, ada)); err != nil || !listed || e.Number != "+81******0001" {
		t.Errorf("%+v, %t, %v", e, listed, err)
	}
	if NewCellNames([]byte("a")).of("dnc", "1") == NewCellNames([]byte("b")).of("dnc", "1") {
		t.Error("the names do not depend on the secret")
	}
}

func TestAnotherSecretIsRefused(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	for _, secret := range []string{"a", "a"} {
		if err := NewCellNames([]byte(secret)).CheckSecret(t.Context(), cells); err != nil {
			t.Fatal(err)
		}
	}
	if err := NewCellNames([]byte("b")).CheckSecret(t.Context(), cells); call.CodeOf(err) != call.CodeConfiguration {
		t.Error(err)
	}
}

func TestOfEqualAlarmsTheFirstOfAnHourAlarms(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	names := NewCellNames([]byte("a"))
	a, b := NewAlarms(cells, names), NewAlarms(cells, names)
	for i, c := range []struct {
		who   *Alarms
		cause string
		after time.Duration
		first bool
	}{
		{a, "8816", 0, true},
		{a, "8816", time.Second, false},
		{b, "8816", 2 * time.Second, false},
		{b, "979", 3 * time.Second, true},
		{b, "8816", 59 * time.Minute, false},
		{b, "8816", 61 * time.Minute, true},
		{a, "8816", 62 * time.Minute, false},
	} {
		if got := c.who.First(t.Context(), c.cause, noon.Add(c.after)); got != c.first {
			t.Errorf("step %d: %t, want %t", i, got, c.first)
		}
	}
	cells.die(true)
	if !NewAlarms(cells, names).First(t.Context(), "8816", noon.Add(63*time.Minute)) {
		t.Error("a store that does not answer silences an alarm")
	}
}
