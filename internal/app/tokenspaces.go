package app

import (
	"slices"
	"strings"

	"github.com/ringonce/ringonce/clienttoken"
)

// checkTokenSpaces refuses a template under which one key space can take the client token of another's request: that call would be refused and never ring, and
// the refusal would tell that it exists.
func (c *Config) checkTokenSpaces() error {
	if clienttoken.Recipe(c.Token.Recipe) != clienttoken.Template {
		return nil
	}
	maker, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: c.Token.Template})
	if err != nil {
		return nil //nolint:nilerr // Recipe refuses it with its own words
	}
	names := c.namedSpaces()
	text, later := strings.Join(names, ""), c.Access.KeysFile != "" // the file names further ones, at any time
	if len(names) < 2 && !later || maker.SeparatesKeySpaces(func(r rune) bool { return later && accessName(string(r)) || strings.ContainsRune(text, r) }) {
		return nil
	}
	return c.refuse("token.template", "Let {keySpace} be its first placeholder, with a character behind it that no name of a key space has: {keySpace}/{notificationId}/{recipientId}.",
		"lets one key space take the client token of another.")
}

// namedSpaces are the names of the key spaces that requests can come in, apart from those that a file of API keys names.
func (c *Config) namedSpaces() []string {
	var names []string
	for _, p := range c.Producers {
		names = append(names, p.KeySpace)
	}
	if a := c.Access; a.Credentials() {
		for _, p := range a.Producers {
			names = append(names, p.Name, p.KeySpace)
		}
		for _, s := range a.KeySpaces {
			names = append(names, s.Name)
		}
		for _, s := range a.Certificates {
			names = append(names, s.Producer)
		}
		for _, i := range a.Issuers {
			for _, producer := range i.Producers {
				names = append(names, producer)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}
