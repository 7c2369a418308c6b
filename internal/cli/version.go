package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ringonce/ringonce/internal/rules"
)

// versionCommand prints what was built.
type versionCommand struct {
	JSON bool `help:"Print one JSON object, which also says what the verdicts about phone numbers rest on."`
}

// version is the JSON form of what was built.
type version struct {
	Version   string    `json:"version"`
	Commit    string    `json:"commit,omitempty"`
	Go        string    `json:"go"`
	Platform  string    `json:"platform"`
	Numbering numbering `json:"numbering"`
}

// numbering says which data decisions about numbers rest on, and what shows them.
type numbering struct {
	Plan     string `json:"plan"`
	Version  string `json:"version"`
	Released string `json:"released"`
	Prefixes int    `json:"prefixes"`
	Zones    string `json:"zones"`
	Display  string `json:"display"`
}

// Run implements the command.
func (x versionCommand) Run(e *environment) error {
	number, commit := built()
	if x.JSON {
		plan := rules.PlanOf()
		return printJSON(e.Stdout, version{
			Version: number, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			Numbering: numbering{
				Plan: plan.Source, Version: plan.Version, Released: plan.Released.Format(time.DateOnly), Prefixes: plan.Prefixes, Zones: plan.Zones,
				Display: "masked by ringonce itself; no library formats numbers",
			},
		})
	}
	if commit != "" {
		commit = " " + commit
	}
	_, err := fmt.Fprintf(e.Stdout, "ringonce %s%s (%s, %s/%s)\n", dash(number), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// built returns the version of this program and the beginning of its commit, as far as they are known.
func built() (version, commit string) {
	version = "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
				commit = setting.Value[:12]
			}
		}
	}
	return version, commit
}
