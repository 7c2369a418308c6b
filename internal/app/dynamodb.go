package app

import (
	"regexp"
	"slices"

	"github.com/ringonce/ringonce/clienttoken"
)

// The drivers that the configuration has settings for.
const (
	driverNone     = "none"
	driverSQLite   = "sqlite"
	driverDynamoDB = "dynamodb"
)

// defaultRemember is how many placed calls a process on DynamoDB answers duplicates of from memory: some megabytes.
const defaultRemember = 1000

// kmsKey is the ARN of a KMS key or alias. Its Region and account are in it, so that neither depends on where the program runs.
var kmsKey = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[A-Za-z0-9-]+|alias/[A-Za-z0-9/_-]+)$`)

// encryptionOff turns the encryption of a ledger off that was written with it.
const encryptionOff = "off"

// ofTable returns the first key that is set and that only a table needs.
func (l Ledger) ofTable() string {
	switch {
	case l.Table != "":
		return "ledger.table"
	case l.Region != "":
		return "ledger.region"
	case l.Endpoint != "":
		return "ledger.endpoint"
	case l.CreateTable:
		return "ledger.create_table"
	case l.KMSKey != "":
		return "ledger.kms_key"
	}
	return ""
}

// checkTable checks the settings of ledger.driver dynamodb.
func (c *Config) checkTable() error {
	l := c.Ledger
	switch {
	case l.Path != "":
		return c.refuse("ledger.path", "Remove it; the table is named by ledger.table.", "is set and ledger.driver is dynamodb.")
	case l.Witness != "":
		return c.refuse("ledger.witness", "Remove it; the table's id is the witness.", "is set and ledger.driver is dynamodb.")
	case !tableName(l.Table):
		return c.refuse("ledger.table", "Name the table: 3 to 255 of letters, digits, _, . and -.", "is missing or no table name, and ledger.driver is dynamodb.")
	case l.CreateTable && c.IsProduction():
		return c.refuse("ledger.create_table", "Remove it; a deployment makes the table with its backups and alarms.", "is set in a production configuration.")
	}
	if l.KMSKey != "" && l.KMSKey != encryptionOff && !kmsKey.MatchString(l.KMSKey) {
		return c.refuse("ledger.kms_key", "Name a key or an alias by its ARN, arn:aws:kms:REGION:ACCOUNT:key/ID; off writes calls in clear.", "is not the ARN of a KMS key.")
	}
	return c.checkEndpoint("ledger.endpoint", l.Endpoint)
}

// completeTable fills in the Region.
func (c *Config) completeTable(o Options, l *Ledger) error {
	if l.Region == "" {
		l.Region, _ = o.LookupEnv("AWS_REGION")
	}
	if l.Region == "" {
		return c.refuse("ledger.region", "Name the Region of the table, or set AWS_REGION.", "is missing.")
	}
	return nil
}

// tokensCanClash reports whether two keys can have one client token (docs/tokens.md, "When two identities can share a token"): then the
// ledger must keep tokens unique, which costs a write for each call on DynamoDB.
func (c *Config) tokensCanClash() bool {
	recipe, err := clienttoken.ParseRecipe(c.Token.Recipe)
	return err != nil || recipe == clienttoken.Template || recipe == clienttoken.Message ||
		slices.ContainsFunc(c.Producers, func(p Producer) bool { return p.KeySpace != "" })
}

// readFirst reports whether a key is looked up before its row is created. On DynamoDB a duplicate is told by the failed write itself,
// unless that write would come after a token claim of its own.
func (c *Config) readFirst() bool {
	if c.Ledger.ReadFirst != nil {
		return *c.Ledger.ReadFirst
	}
	return c.Ledger.Driver != driverDynamoDB || c.tokensCanClash()
}

// remember returns how many placed calls are remembered.
func (c *Config) remember() int {
	switch {
	case c.Ledger.Remember != nil:
		return *c.Ledger.Remember
	case c.Ledger.Driver == driverDynamoDB:
		return defaultRemember
	}
	return 0
}
