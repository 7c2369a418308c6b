package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand prints what was built.
type versionCommand struct{}

// Run implements the command.
func (versionCommand) Run(e *environment) error {
	version, commit := built()
	if commit != "" {
		commit = " " + commit
	}
	_, err := fmt.Fprintf(e.Stdout, "ringonce %s%s (%s, %s/%s)\n", dash(version), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
