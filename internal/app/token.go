package app

import (
	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// Recipe returns the token recipe of a configuration and what a key is made of under it. Its errors are *call.Error that name
// the member of token.
func (c *Config) Recipe() (*clienttoken.Maker, call.Identity, error) { return c.recipe() }

// Naming returns how ids become row ids under a configuration. It reads identity.key_file in the mode hmac.
func (c *Config) Naming() (call.Naming, error) { return c.naming() }
