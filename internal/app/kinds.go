package app

import (
	"slices"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// KindToken returns the token that a request of the kind sends, of which base is the token by the recipe: for voice the base itself.
func KindToken(kind call.Kind, base string) string {
	switch kind {
	case call.KindChat:
		return clienttoken.ContactToken(clienttoken.StartChatContact, base)
	case call.KindTask:
		return clienttoken.ContactToken(clienttoken.StartTaskContact, base)
	case call.KindVoice:
	}
	return base
}

// kinds returns the kinds of the profiles, each once.
func (c *Config) kinds() []call.Kind {
	var kinds []call.Kind
	for _, p := range c.profiles() {
		if k := p.WithDefaults().Kind; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Numberless returns a function that reports whether a request for the profile, "" being the default one, needs no phone number: it makes
// contacts of another kind than voice.
func (c *Config) Numberless() func(profile string) bool {
	lookup := c.profileSource()
	return func(profile string) bool {
		p, ok := lookup(profile)
		return ok && !p.Kind.NeedsNumber()
	}
}
