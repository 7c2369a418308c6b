package doctor

import (
	"slices"
	"strings"
	"testing"
)

func TestScenarioI26AWayInWithoutADeadLetterQueueIsAFault(t *testing.T) {
	t.Parallel()
	for check, plant := range map[string]func(*Deployment){
		"receives":   func(d *Deployment) { d.Source.DeadLetter = "" },     // the queue drops what was received too often
		"on-failure": func(d *Deployment) { d.Function.OnFailure = false }, // a bus or topic drops after its tries
		"retention":  func(d *Deployment) { d.DeadLetter.Retention = day }, // its dead letters are gone before the queue's own messages
	} {
		d := sound()
		plant(&d)
		i := slices.IndexFunc(Arithmetic(d), func(f Finding) bool { return f.Check == check && f.Level == Fault })
		if i < 0 {
			t.Errorf("%s: no fault among %+v", check, Arithmetic(d))
			continue
		}
		if f := Arithmetic(d)[i]; f.Why == "" || f.Fix == "" {
			t.Errorf("%s says %+v", check, f)
		}
	}
	d := sound() // how late a delivery can be is said beside how long a call is remembered
	i := slices.IndexFunc(Arithmetic(d), func(f Finding) bool { return f.Check == "memory" })
	if late := d.Source.Retention + d.DeadLetter.Retention; i < 0 || !strings.Contains(Arithmetic(d)[i].What, late.String()) {
		t.Errorf("nothing says that a delivery can come %s late: %+v", late, Arithmetic(d))
	}
}
