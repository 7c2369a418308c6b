package doctor

import (
	"testing"
	"time"
)

const day = 24 * time.Hour

// sound is a deployment without a finding.
func sound() Deployment {
	return Deployment{
		Source:     Queue{Name: "requests", Visibility: 6 * time.Minute, Retention: 4 * day, MaxReceive: 5, DeadLetter: "requests-dlq"},
		DeadLetter: Queue{Name: "requests-dlq", Retention: 14 * day},
		Trigger:    Trigger{PartialResponses: true, BatchSize: 10, Concurrency: 2},
		Function:   Function{Name: "ringonce", Timeout: time.Minute, Reserve: 15 * time.Second, OnFailure: true},
		Sweep:      Schedule{Name: "sweep", Every: time.Minute, Enabled: true},
		Table:      Table{Name: "calls", HashKey: "pk", Indexes: []string{"contact", "due"}, PointInTime: true, KMS: true, Protected: true},
		Ledger:     "dynamodb",
	}
}

func TestASoundDeploymentHasNoFinding(t *testing.T) {
	t.Parallel()
	findings := Arithmetic(sound())
	if worst := Worst(findings); worst != OK {
		t.Errorf("worst is %s of %+v", worst, findings)
	}
	for _, f := range findings {
		if f.Why != "" || f.Fix != "" || f.What == "" {
			t.Errorf("a finding that is in order says %+v", f)
		}
	}
}

// TestEachPlantedDefectIsFoundByItsOwnCheckAlone plants one defect at a time, just past its bound.
func TestEachPlantedDefectIsFoundByItsOwnCheckAlone(t *testing.T) {
	t.Parallel()
	plants := map[string]func(*Deployment){
		"visibility":         func(d *Deployment) { d.Source.Visibility -= time.Second },
		"visibility/window":  func(d *Deployment) { d.Trigger.BatchingWindow = time.Second },
		"function-timeout":   func(d *Deployment) { d.Function.Timeout = d.Function.Reserve + time.Second },
		"partial-responses":  func(d *Deployment) { d.Trigger.PartialResponses = false },
		"receives":           func(d *Deployment) { d.Source.MaxReceive = 4 },
		"receives/none":      func(d *Deployment) { d.Source.DeadLetter = "" },
		"retention":          func(d *Deployment) { d.Source.Retention = d.DeadLetter.Retention },
		"memory":             func(d *Deployment) { d.Ledger = "none" },
		"queue-kinds":        func(d *Deployment) { d.Source.FIFO = true },
		"on-failure":         func(d *Deployment) { d.Function.OnFailure = false },
		"sweep-schedule":     func(d *Deployment) { d.Sweep.Every = Heartbeat },
		"sweep-schedule/off": func(d *Deployment) { d.Sweep.Enabled = false },
		"table-key":          func(d *Deployment) { d.Table.RangeKey = "sk" },
		"table-due":          func(d *Deployment) { d.Table.Indexes = []string{"list"} },
		"table-replicas":     func(d *Deployment) { d.Table.EventualReplica = true },
		"table-backup":       func(d *Deployment) { d.Table.PointInTime = false },
		"table-protection":   func(d *Deployment) { d.Table.Protected = false },
		"table-encryption":   func(d *Deployment) { d.Table.KMS = false },
	}
	for name, plant := range plants {
		d := sound()
		plant(&d)
		var found []Finding
		for _, f := range Arithmetic(d) {
			if f.Level != OK {
				found = append(found, f)
			}
		}
		if len(found) != 1 || found[0].Check != checkOf(name) || found[0].Why == "" || found[0].Fix == "" {
			t.Errorf("%s: found %+v", name, found)
		}
	}
	d := sound()
	d.Table.TTLAttribute = "expires" // two promises fall with it
	if worst := Worst(Arithmetic(d)); worst != Fault {
		t.Errorf("time to live: worst is %s", worst)
	}
}

func checkOf(plant string) string {
	for i := range plant {
		if plant[i] == '/' {
			return plant[:i]
		}
	}
	return plant
}
