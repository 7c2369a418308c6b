package app

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
)

// checkKey checks that a key comes from exactly one place where one is needed.
func (c *Config) checkKey(group, file, arn, because string) error {
	switch {
	case file == "" && arn == "":
		return c.refuse(group+".key_file", "Name a file of at least 32 random bytes, or an ARN in "+group+".key_secret.", "is missing and %s.", because)
	case file != "" && arn != "":
		return c.refuse(group+".key_secret", "Keep one of the two.", "is set beside %s.key_file.", group)
	case arn != "" && !secret.IsARN(arn):
		return c.refuse(group+".key_secret", "Copy the whole ARN: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-xxxxxx or arn:aws:ssm:REGION:ACCOUNT:parameter/NAME.",
			"is no ARN of a secret or parameter.")
	}
	return nil
}

// key reads a key of at least 32 bytes from the one place that checkKey left. Its content is never printed, and no key comes from an argument or
// from the environment.
func (c *Config) key(ctx context.Context, o Options, group, file, arn string) (secret.Secret, error) {
	field, fix := group+".key_file", "Write at least 32 random bytes into it."
	read := func() (secret.Secret, error) { return secret.ReadFile(file) }
	if arn != "" {
		field, fix = group+".key_secret", "Store at least 32 random bytes there."
		read = func() (secret.Secret, error) {
			return secret.Fetch(ctx, secret.Options{
				Credentials: o.credentials(c.Secrets.Endpoint != ""), Clock: o.Clock, Endpoint: c.Secrets.Endpoint,
			}, arn)
		}
	}
	key, err := read()
	if e, ok := errors.AsType[*secret.Error](err); ok {
		return key, c.refuse(field, e.Fix, "%s", e.Message)
	}
	if err != nil {
		return key, err
	}
	if key.Len() < clienttoken.MinKeyBytes {
		return key, c.refuse(field, fix, "holds %d bytes.", key.Len())
	}
	return key, nil
}

// Naming returns how ids become row ids under a configuration. It reads the identity key in the mode hmac.
func (c *Config) Naming(ctx context.Context, o Options) (call.Naming, error) {
	if c.Identity.Mode != "hmac" {
		return call.Naming{Mode: call.IdentityPlain}, nil
	}
	key, err := c.key(ctx, o.withDefaults(), "identity", c.Identity.KeyFile, c.Identity.KeySecret)
	return call.Naming{Mode: call.IdentityHMAC, Secret: key.Reveal()}, err
}

// Recipe returns the token recipe of a configuration and what a key is made of under it. It reads the token key of the recipe hmac-sha256.
// Its errors are *call.Error that name the member of token.
func (c *Config) Recipe(ctx context.Context, o Options) (*clienttoken.Maker, call.Identity, error) {
	recipe, err := clienttoken.ParseRecipe(c.Token.Recipe)
	if err != nil {
		return nil, "", err
	}
	options := clienttoken.Options{Recipe: recipe, Template: c.Token.Template}
	if recipe == clienttoken.HMACSHA256 {
		key, err := c.key(ctx, o.withDefaults(), "token", c.Token.KeyFile, c.Token.KeySecret)
		if err != nil {
			return nil, "", err
		}
		options.Key = key.Reveal()
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
