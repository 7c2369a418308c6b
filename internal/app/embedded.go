package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Telephone is an emulator that stands in for Amazon Connect.
type Telephone struct {
	Endpoint, Region, InstanceID, ContactFlowID, SourcePhone string
}

// DataDirectory returns the user's data directory of ringonce, making it, readable by its owner only.
func DataDirectory(lookup func(name string) (string, bool)) (string, error) {
	dir, err := DataPath(lookup)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", configError("--config", "Name a configuration with --config, or set XDG_DATA_HOME.", "The data directory %s cannot be made: %v.", dir, errors.Unwrap(err))
	}
	return dir, nil
}

// DataPath names the user's data directory of ringonce, which need not be there (XDG Base Directory Specification).
func DataPath(lookup func(name string) (string, bool)) (string, error) {
	data, _ := lookup("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // the specification: all paths must be absolute, others are ignored
		home, _ := lookup("HOME")
		if home == "" {
			return "", configError("--config", "Name a configuration with --config, or set XDG_DATA_HOME.", "This user has no data directory: neither XDG_DATA_HOME nor HOME is set.")
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "ringonce"), nil
}

// Embedded returns the configuration of a service that nobody configured: a SQLite ledger in a directory, and an emulator as telephone, so that
// nothing real can ring.
func Embedded(dir string, t Telephone) (*Config, error) {
	text := fmt.Sprintf(`production: false
ledger: {driver: sqlite, path: %q}
wake: {engine: river}
connect: {endpoint: %q}
profiles:
  default: {region: %q, instance_id: %q, contact_flow_id: %q, source_phone: %q}
`, filepath.Join(dir, "calls.db"), t.Endpoint, t.Region, t.InstanceID, t.ContactFlowID, t.SourcePhone)
	return Parse("the embedded configuration", []byte(text))
}
