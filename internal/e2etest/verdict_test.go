//go:build integration

package e2etest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// want is what must have happened in the end.
type want struct {
	rings  map[string]int     // by number; a number that is not here must not have rung
	states map[call.State]int // of the calls in the table
	dead   int                // messages in the dead-letter queue
}

// once wants each of these numbers rung once, and one placed call for each.
func once(numbers ...string) want {
	w := want{rings: map[string]int{}, states: map[call.State]int{call.Placed: len(numbers)}}
	for _, n := range numbers {
		w.rings[n] = 1
	}
	return w
}

// expect reports everything that the verdict complains about.
func (d *deployment) expect(t *testing.T, w want) {
	t.Helper()
	for _, complaint := range d.verdict(t, w) {
		t.Error(complaint)
	}
}

// verdict is the oracle: the rings of the telephone network, then the invariants of every call and of the table as a whole, then what
// the queues hold.
func (d *deployment) verdict(t *testing.T, w want) []string {
	t.Helper()
	var complaints []string
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	got := map[string]int{}
	for _, ring := range d.telephone.Rings() {
		got[ring.Number]++
	}
	for number, n := range w.rings {
		if got[number] != n {
			complain("%s rang %d times, want %d", masked(number), got[number], n)
		}
		delete(got, number)
	}
	for number, n := range got {
		complain("%s rang %d times, want 0", masked(number), n)
	}
	if d.read != nil {
		complaints = append(complaints, d.audit(t, w)...)
	}
	for _, x := range []struct {
		queue queue
		want  int
	}{{d.queue, 0}, {d.dead, w.dead}} {
		if n, err := d.messages(t.Context(), x.queue); err != nil || n != x.want {
			complain("%s holds %d messages (%v), want %d", x.queue.arn, n, err, x.want)
		}
	}
	slices.Sort(complaints)
	return complaints
}

// audit is what ringonce ledger verify does, and the comparison with the rings that only an emulator permits.
func (d *deployment) audit(t *testing.T, w want) []string {
	t.Helper()
	rows, breaches, err := d.fold(t.Context())
	if err != nil {
		return []string{fmt.Sprintf("read the table: %v", err)}
	}
	states := map[call.State]int{}
	for _, row := range rows {
		states[row.State]++
	}
	breaches = append(breaches, call.CheckLedger(rows, d.read.Clock.Now(), 0)...)
	rings := map[string][]string{}
	for _, contact := range d.telephone.Contacts() {
		id := contact.Attributes["ringonceCallId"]
		rings[id] = append(rings[id], contact.ID)
	}
	breaches = append(breaches, call.CheckTruth(rows, rings)...)
	var complaints []string
	for _, breach := range breaches {
		complaints = append(complaints, breach.String())
	}
	for _, state := range call.States() {
		if states[state] != w.states[state] {
			complaints = append(complaints, fmt.Sprintf("%d calls are %s, want %d", states[state], state, w.states[state]))
		}
	}
	return complaints
}

// fold reads the table and folds every history.
func (d *deployment) fold(ctx context.Context) (rows []call.Call, breaches []call.Breach, err error) {
	err = d.read.Store.Admin.Each(ctx, func(row call.Call, entries []call.Entry) error {
		rows = append(rows, row)
		breaches = append(breaches, call.CheckHistory(row, entries)...) // which checks the row by itself as well
		return nil
	})
	return rows, breaches, err
}

// suppressed returns how many deliveries were answered from the ledger without a dial.
func (d *deployment) suppressed(ctx context.Context) (int, error) {
	rows, err := d.rows(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, row := range rows {
		notes, err := d.read.Store.Journal.Notes(ctx, row.ID)
		if err != nil {
			return 0, err
		}
		total += notes.Suppressed
	}
	return total, nil
}

// masked returns a number as reports may show it.
func masked(number string) string {
	phone, err := call.ParsePhone(number)
	if err != nil {
		return "a number that is none"
	}
	return phone.String()
}
