package app

import (
	"strings"
)

// ConfigVariable is the environment variable that names the configuration, for binaries without a command line and as the
// default of --config.
const ConfigVariable = "RINGONCE_CONFIG"

// LoadValue reads the configuration that a value of RINGONCE_CONFIG stands for: the path of a file, or the YAML text itself when
// the value looks like it, since a function has variables and no file of its own.
func LoadValue(value string) (*Config, error) {
	switch {
	case strings.TrimSpace(value) == "":
		return nil, configError(ConfigVariable, "Set it to the path of the configuration, or to its text.", "The environment variable %s is not set.", ConfigVariable)
	case IsText(value):
		return Parse(ConfigVariable, []byte(value))
	}
	return LoadFile(value)
}

// IsText reports whether a value of RINGONCE_CONFIG is YAML text and not a path.
func IsText(value string) bool {
	return strings.Contains(value, "\n") || strings.HasPrefix(value, "{") || strings.Contains(value, ": ")
}
