package dynamodb

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// DefaultTimeout bounds one request. DynamoDB answers in milliseconds; a connection that a frozen process left behind never does.
const DefaultTimeout = 3 * time.Second

// Options are the settings of a ledger.
type Options struct {
	// Table is the table's name (ledger.table) and Region its Region (ledger.region).
	Table, Region string
	// Credentials sign the requests. They are cached here.
	Credentials aws.CredentialsProvider
	// Endpoint replaces the address of DynamoDB, for an emulator; empty in production.
	Endpoint string
	// HTTPClient replaces the driver's own. It must not retry or follow redirects.
	HTTPClient awsdynamodb.HTTPClient
	// Timeout ends one request; zero means DefaultTimeout.
	Timeout time.Duration
	// CreateTable makes the table with every index if it does not exist, for tests and emulators. Deployments make their own.
	CreateTable bool
	// UniqueTokens keeps client tokens unique, for one more write before each create: needed where two keys can have one token
	// (docs/tokens.md).
	UniqueTokens bool
	// Mode is the identity mode of the row ids; empty means plain. A ledger keeps the mode it was made with.
	Mode call.IdentityMode
	// Check is Naming.Check of the mode and its secret; empty means that of the plain mode.
	Check string
	// Recipient hashes a recipient for ByRecipient (Naming.Recipient); nil means that of the plain mode.
	Recipient func(keySpace, recipientID string) string
	// Suppressions says which suppressed deliveries are recorded: "off" (default; nothing is written), "first-20" (the count and the
	// first 20 texts) or "all".
	Suppressions string
	// RandomID makes the ledger's id when the ledger is made: different for every ledger.
	RandomID func() string
	// Clock stamps the creation of rows and times the pauses after a throttled request. No call is judged by it.
	Clock call.Clock
	// Keys makes and opens data keys; without it no encrypted call can be read.
	Keys Keys
	// KMSKey is the master key (ledger.kms_key): the ARN of a KMS key or of an alias. Calls are then encrypted. Empty writes them in clear,
	// refuses a ledger that was encrypted before, and ends to write when it meets an encrypted call; EncryptionOff writes into that too.
	KMSKey string
	// Observer is told when calls go on under an older data key because the next one cannot be had; nil means nobody.
	Observer call.Observer
	// AllowRecovery opens a table that was restored from a backup. Until BeginRecovery it can only be read.
	AllowRecovery bool
	// ReadOnly refuses every write.
	ReadOnly bool
}

const (
	suppressionsOff   = "off"
	suppressionsFirst = "first-20"
	suppressionsAll   = "all"
)

// complete fills the defaults and refuses settings that contradict each other.
func (o Options) complete() (Options, error) {
	plain := call.Naming{Mode: call.IdentityPlain}
	if o.Mode == "" {
		o.Mode = call.IdentityPlain
	}
	if o.Check == "" && o.Mode == call.IdentityPlain {
		o.Check = plain.Check()
	}
	if o.Recipient == nil && o.Mode == call.IdentityPlain {
		o.Recipient = plain.Recipient
	}
	if o.Suppressions == "" {
		o.Suppressions = suppressionsOff
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	switch {
	case o.Table == "":
		return o, misconfigured("ledger.table", "Name the table.", "The setting ledger.table is missing.")
	case o.Region == "":
		return o, misconfigured("ledger.region", "Name the Region of the table.", "The setting ledger.region is missing.")
	case o.Suppressions != suppressionsOff && o.Suppressions != suppressionsFirst && o.Suppressions != suppressionsAll:
		return o, misconfigured("ledger.suppressions", "Use off, first-20 or all.", "The setting ledger.suppressions has an unknown value %q.", o.Suppressions)
	case o.Mode != call.IdentityPlain && o.Mode != call.IdentityHMAC:
		return o, misconfigured("identity", "Use plain or hmac.", "The setting identity has an unknown value %q.", o.Mode)
	case o.Check == "" || o.Recipient == nil:
		return o, misconfigured("identity.key_file", "Configure the file that holds the key.", "The setting identity is hmac, but its key is missing.")
	case o.KMSKey != "" && o.KMSKey != EncryptionOff && o.Keys == nil:
		return o, misconfigured("ledger.kms_key", "Give the driver a service of keys.", "The ledger was opened with a master key and nothing to use it with.")
	case o.Credentials == nil:
		return o, misconfigured("ledger", "Give the driver a credentials provider.", "The ledger was opened without AWS credentials.")
	case o.Clock == nil || (o.RandomID == nil && !o.ReadOnly):
		return o, misconfigured("ledger", "Give the driver both.", "The ledger was opened without a source of ids or a clock.")
	}
	return o, nil
}

func misconfigured(field, fix, format string, args ...any) *call.Error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: fmt.Sprintf(format, args...), Fix: fix}
}
