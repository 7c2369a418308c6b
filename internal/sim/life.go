package sim

import (
	"context"
	"os"
	"slices"
	"strings"
)

// Relive lives acts in a setting from their beginning and returns the oracle's findings. Acts that make no sense, because what they are about is
// not there, are left out. It is called inside a bubble, in a directory of its own.
func (p Plan) Relive(ctx context.Context, s Setting, seed uint64, dir string, acts []Act) []string {
	_ = os.RemoveAll(dir) // of the life before
	w, err := p.world(s, Options{Seed: seed, Dir: dir, Plant: p.Plant})
	if err != nil {
		return nil
	}
	for _, a := range acts {
		a.Strikes = slices.Clone(a.Strikes)
		if a.Verb == "deliver" || a.Verb == "redeliver" {
			a.Words = slices.DeleteFunc(slices.Clone(a.Words), func(name string) bool { return w.message(name) == nil })
			if len(a.Words) == 0 {
				continue
			}
		}
		_ = w.Do(ctx, a) // an act without its message, or on a state that another act would have made
	}
	w.Close()
	return w.findings
}

// Kind returns what a finding is about, without its names and times, so that a shorter life is known to show the same.
func Kind(finding string) string {
	fields := strings.FieldsFunc(finding, func(r rune) bool { return r == ' ' || r == ',' || r == ':' })
	fields = slices.DeleteFunc(fields, func(f string) bool { return strings.ContainsAny(f, "0123456789#+") && !strings.HasPrefix(f, "I") })
	return strings.Join(fields, " ")
}
