package app

import (
	"bytes"
	"errors"
	"os"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// secret reads a key file: at least 32 bytes, readable by its owner only. A final line feed is not part of the key. Its content
// is never printed, and no key comes from an argument or the environment.
func (c *Config) secret(field, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, c.refuse(field, "Name an existing file of at least 32 random bytes, mode 0600.", "cannot be read: %v.", errors.Unwrap(err))
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, c.refuse(field, "Run chmod 600 on it.", "is readable by others than its owner.")
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, c.refuse(field, "Make it readable for this user.", "cannot be read: %v.", errors.Unwrap(err))
	}
	key = bytes.TrimSuffix(key, []byte("\n"))
	if len(key) < clienttoken.MinKeyBytes {
		return nil, c.refuse(field, "Write at least 32 random bytes into it.", "holds %d bytes.", len(key))
	}
	return key, nil
}

// naming returns how ids become row ids under this configuration.
func (c *Config) naming() (call.Naming, error) {
	if c.Identity.Mode != "hmac" {
		return call.Naming{Mode: call.IdentityPlain}, nil
	}
	key, err := c.secret("identity.key_file", c.Identity.KeyFile)
	return call.Naming{Mode: call.IdentityHMAC, Secret: key}, err
}

// recipe returns the token recipe and what a key is made of under it.
func (c *Config) recipe() (*clienttoken.Maker, call.Identity, error) {
	recipe, err := clienttoken.ParseRecipe(c.Token.Recipe)
	if err != nil {
		return nil, "", err
	}
	options := clienttoken.Options{Recipe: recipe, Template: c.Token.Template}
	if recipe == clienttoken.HMACSHA256 {
		if options.Key, err = c.secret("token.key_file", c.Token.KeyFile); err != nil {
			return nil, "", err
		}
	}
	maker, err := clienttoken.New(options)
	if err != nil {
		if e, ok := errors.AsType[*clienttoken.Error](err); ok {
			return nil, "", c.refuse("token."+e.Field, e.Fix, "is not usable: %s", e.Message)
		}
		return nil, "", err
	}
	switch recipe {
	case clienttoken.Message:
		return maker, call.IdentityClientToken, nil
	case clienttoken.EventID:
		return maker, call.IdentityEventID, nil
	case clienttoken.SHA256, clienttoken.Template, clienttoken.HMACSHA256:
	}
	return maker, call.IdentityIDs, nil
}
