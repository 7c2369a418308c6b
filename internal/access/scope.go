package access

import (
	"errors"
	"fmt"
	"slices"
)

// Rate is a token bucket. The zero value is no limit of its own.
type Rate struct {
	PerSecond float64 `json:"per_second,omitzero"` // tokens a second
	Burst     int     `json:"burst,omitzero"`      // the most that may gather
}

// Scope is what a producer's credential is good for.
type Scope struct {
	Producer string   `json:"producer"`           // whose it is
	KeySpace string   `json:"key_space,omitzero"` // empty: the producer's own, which is called as the producer is
	Reads    []string `json:"reads,omitzero"`     // further key spaces whose calls it may see
	Profiles []string `json:"profiles,omitzero"`  // empty: all
	Rate     Rate     `json:"rate,omitzero"`
}

// SharedSpace is a key space that more than one producer was granted. Nobody shares one that is not listed.
type SharedSpace struct {
	Name      string
	Producers []string // ask for calls in it, and see them
	Readers   []string // only see them
}

// Grants are the shared key spaces of a configuration. Every credential, whatever its kind, is held against them when it is used: a key space that is
// neither the producer's own nor granted to it is refused, so that one line in a file of keys, or a claim in a token, opens nothing.
type Grants []SharedSpace

// errNotGranted is told to nobody outside but as a 403.
var errNotGranted = errors.New("access: the credential names a key space that its producer was not granted")

// principal makes who asks of a scope.
func (g Grants) principal(s Scope) (Principal, error) {
	p := Principal{Kind: Producer, Name: s.Producer, KeySpace: s.KeySpace, Reads: s.Reads, Profiles: s.Profiles}
	if p.KeySpace == "" {
		p.KeySpace = s.Producer
	}
	if err := s.check(); err != nil {
		return Principal{}, err
	}
	if p.KeySpace != p.Name && !g.granted(p.KeySpace, p.Name, false) {
		return Principal{}, errNotGranted
	}
	for _, space := range p.Reads {
		if space != p.Name && !g.granted(space, p.Name, true) {
			return Principal{}, errNotGranted
		}
	}
	return p, nil
}

func (g Grants) granted(space, producer string, reading bool) bool {
	return slices.ContainsFunc(g, func(s SharedSpace) bool {
		return s.Name == space && (slices.Contains(s.Producers, producer) || reading && slices.Contains(s.Readers, producer))
	})
}

// check refuses names and figures that nothing can be made of.
func (s Scope) check() error {
	switch {
	case !validName(s.Producer):
		return errors.New("the producer's name is not 1 to 64 letters, digits and . _ -")
	case s.KeySpace != "" && !validName(s.KeySpace):
		return errors.New("the key space's name is not 1 to 64 letters, digits and . _ -")
	case len(s.Reads) > 64 || len(s.Profiles) > 64:
		return errors.New("more than 64 key spaces or profiles are listed")
	case s.Rate.PerSecond < 0 || s.Rate.Burst < 0 || s.Rate.PerSecond > 1e6 || s.Rate.Burst > 1e6:
		return errors.New("the rate is outside 0 to 1000000")
	case (s.Rate.PerSecond == 0) != (s.Rate.Burst == 0):
		return errors.New("a rate needs both per_second and burst")
	}
	for _, space := range s.Reads {
		if !validName(space) {
			return fmt.Errorf("the key space %q is not 1 to 64 letters, digits and . _ -", space)
		}
	}
	return nil
}
