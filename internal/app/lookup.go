package app

import (
	"maps"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// profiles returns every profile in the order of its name.
func (c *Config) profiles() []call.Profile {
	var all []call.Profile
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		if p, err := c.callProfile(name); err == nil { // Validate has accepted it
			all = append(all, p)
		}
	}
	return all
}

// profileSource returns the lookup of profiles by the name a producer asked for. A request that names none gets default_profile,
// or the only profile there is.
func (c *Config) profileSource() func(string) (call.Profile, bool) {
	byName := map[string]call.Profile{}
	all := c.profiles()
	for _, p := range all {
		byName[p.Name] = p
	}
	switch {
	case c.DefaultProfile != "":
		byName[""] = byName[c.DefaultProfile]
	case len(all) == 1:
		byName[""] = all[0]
	}
	return func(name string) (call.Profile, bool) {
		p, ok := byName[name]
		return p, ok
	}
}

// keySpace returns the lookup of key spaces by producer; producers that are not named share the unnamed one.
func (c *Config) keySpace() func(string) string {
	spaces := map[string]string{}
	for _, p := range c.Producers {
		spaces[p.ARN] = p.KeySpace
	}
	return func(producer string) string { return spaces[producer] }
}

// keySpace is the lookup of the configuration, as the service wraps it.
func (o Options) keySpace(c *Config) func(string) string {
	if o.KeySpaces == nil {
		return c.keySpace()
	}
	return o.KeySpaces(c.keySpace())
}
