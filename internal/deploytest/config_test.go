package deploytest

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
)

// longestEnvironment is what Lambda takes of variables (AWS Lambda Developer Guide, "Lambda quotas"), less what others need.
const longestEnvironment = 4096 - 512

func TestTheFunctionTakesItsConfiguration(t *testing.T) {
	t.Parallel()
	s := read(t)
	accepted := 0
	for name, given := range sets() {
		for _, hints := range []string{"false", "true"} {
			given["WakeHints"] = hints
			sam, terraform := s.stacks(t, given)
			if sam.Config() != terraform.Config() || len(sam.Config()) > longestEnvironment || !app.IsText(sam.Config()) {
				t.Errorf("%s: the configurations differ or are too long:\n%s\n%s", name, sam.Config(), terraform.Config())
			}
			config, err := app.Parse(app.ConfigVariable, []byte(sam.Config()))
			if err != nil {
				t.Errorf("%s, hints %s: %v\n%s", name, hints, err, sam.Config())
				continue
			}
			accepted++
			checkConfig(t, config, sam.Parameters, given)
		}
	}
	if accepted < 10 {
		t.Errorf("only %d configurations were accepted", accepted)
	}
}

// checkConfig compares a configuration that was read with the parameters that it was made from.
func checkConfig(t *testing.T, config *app.Config, parameters []Parameter, given map[string]string) {
	t.Helper()
	values, err := valuesOf(parameters, given)
	if err != nil {
		t.Fatal(err)
	}
	profile, ok := config.Profiles[values["ProfileName"]]
	if !ok || config.DefaultProfile != values["ProfileName"] || !config.IsProduction() || config.Ledger.Table != values["Name"]+"-calls" {
		t.Errorf("read %+v from %v", config, given)
	}
	wantRegion := values["InstanceRegion"]
	if wantRegion == "" {
		wantRegion = region
	}
	for _, pair := range [][2]string{
		{profile.InstanceID, values["InstanceId"]},
		{profile.ContactFlowID, values["ContactFlowId"]},
		{profile.QueueID, values["QueueId"]},
		{profile.SourcePhone, values["SourcePhone"]},
		{strings.Join(config.Destinations.Allow, ","), values["AllowedDestinations"]},
		{profile.Region, wantRegion},
		{profile.Window, values["Window"]},
		{profile.Resend, values["Resend"]},
	} {
		if pair[0] != pair[1] {
			t.Errorf("read %q, not %q", pair[0], pair[1])
		}
	}
	if config.Pacing.PerSecond == nil || plain(*config.Pacing.PerSecond) != values["PerSecond"] || plain(config.Pacing.Burst) != values["Burst"] {
		t.Errorf("pacing %+v from %v", config.Pacing, given)
	}
}

// TestAConfigurationThatTheFunctionRefusesIsSeen shows that the check above can fail.
func TestAConfigurationThatTheFunctionRefusesIsSeen(t *testing.T) {
	t.Parallel()
	s := read(t)
	for _, wrong := range [][2]string{
		{"                  window: ${Window}", "                  windows: ${Window}"},
		{"                  resend: ${Resend}", "                 resend: ${Resend}"},
		{"instance_id: ${InstanceId}", "instance_id: arn:aws:connect:us-east-1:111122223333:instance/${InstanceId}"},
		{"              ledger:\n", "              connect:\n                endpoint: http://127.0.0.1:7465\n              ledger:\n"},
	} {
		sam, err := ReadSAM(s.planted(t, "", wrong[0], wrong[1]).sam, sets()["no hints"])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Parse(app.ConfigVariable, []byte(sam.Config())); err == nil {
			t.Errorf("%q: %v", wrong[1], err)
		}
	}
}
