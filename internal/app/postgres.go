package app

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/secret"
)

// driverPostgres is the ledger that several processes share.
const driverPostgres = "postgres"

// ofDatabase returns the first key that is set and that only a database needs.
func (l Ledger) ofDatabase() string {
	switch {
	case l.DSNFile != "":
		return "ledger.dsn_file"
	case l.DSNSecret != "":
		return "ledger.dsn_secret"
	}
	return ""
}

// checkDatabase checks the settings of ledger.driver postgres.
func (c *Config) checkDatabase() error {
	l := c.Ledger
	switch {
	case l.Path != "":
		return c.refuse("ledger.path", "Remove it; the database is named by the connection string.", "is set and ledger.driver is postgres.")
	case l.Witness == "":
		return c.refuse("ledger.witness", "Name a file on a disk of this machine that stays.", "is missing and ledger.driver is postgres.")
	case l.DSNFile == "" && l.DSNSecret == "":
		return c.refuse("ledger.dsn_file", "Name a file that holds the connection string, mode 0600, or an ARN in ledger.dsn_secret.", "is missing and ledger.driver is postgres.")
	case l.DSNFile != "" && l.DSNSecret != "":
		return c.refuse("ledger.dsn_secret", "Keep one of the two.", "is set beside ledger.dsn_file.")
	case l.DSNSecret != "" && !secret.IsARN(l.DSNSecret):
		return c.refuse("ledger.dsn_secret", "Copy the whole ARN: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-xxxxxx or arn:aws:ssm:REGION:ACCOUNT:parameter/NAME.",
			"is no ARN of a secret or parameter.")
	}
	return nil
}

// dsn reads the connection string from the one place that checkDatabase left. It holds a password: it is never printed, and it comes neither from an
// argument nor from a variable of the environment.
func (c *Config) dsn(ctx context.Context, o Options) (text secret.Secret, field string, err error) {
	if c.Ledger.DSNSecret != "" {
		field = "ledger.dsn_secret"
		text, err = secret.Fetch(ctx, secret.Options{
			Credentials: o.credentials(c.Secrets.Endpoint != ""), Clock: o.Clock, Endpoint: c.Secrets.Endpoint,
		}, c.Ledger.DSNSecret)
	} else {
		field = "ledger.dsn_file"
		text, err = secret.ReadFile(c.Ledger.DSNFile)
	}
	if e, ok := errors.AsType[*secret.Error](err); ok {
		fix := e.Fix
		if field == "ledger.dsn_file" {
			fix = "Name an existing file that holds the connection string, with mode 0600."
		}
		return text, field, c.refuse(field, fix, "%s", e.Message)
	}
	return text, field, err
}
