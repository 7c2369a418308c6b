package awsaccount_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/doctor"
)

func TestScenarioV70OfTwoSwappedIdsTheWrongOneIsNamed(t *testing.T) {
	t.Parallel()
	a := look(t, "test")
	for name, c := range map[string]struct {
		instance, flow string
		wrong          []string // the settings that are named
	}{
		"both right":           {connectemu.DefaultInstance, flow, nil},
		"the flow's twice":     {flow, flow, []string{"instance_id"}},
		"the instance's twice": {connectemu.DefaultInstance, connectemu.DefaultInstance, []string{"contact_flow_id"}},
		"swapped":              {flow, connectemu.DefaultInstance, []string{"instance_id"}},
	} {
		i, err := a.Instance(t.Context(), c.instance)
		findings := doctor.JudgeInstance("alert", i, err)
		if err == nil { // as a checkup does: of an instance that does not exist nothing else is asked
			f, err := a.Flow(t.Context(), c.instance, c.flow)
			findings = append(findings, doctor.JudgeFlow("alert", f, err))
		}
		var named []string
		for _, finding := range findings {
			if finding.Level == doctor.Fault {
				named = append(named, finding.Fix)
			}
		}
		if len(named) != len(c.wrong) || (len(named) > 0 && !strings.Contains(named[0], "profiles.alert."+c.wrong[0])) {
			t.Errorf("%s: %q, want %q", name, named, c.wrong)
		}
	}
}
