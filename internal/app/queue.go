package app

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// QueueAccess is how a command reaches a queue of SQS. Which queue, its command is told.
type QueueAccess struct {
	Endpoint    string // of an emulator; empty for SQS itself
	Region      string // for URLs that name none: of the environment, else that of the table
	Credentials aws.CredentialsProvider
}

// QueueAccess returns how a command reaches a queue. That the environment points nowhere else was checked when the configuration was read
// (CheckEnvironment).
func (c *Config) QueueAccess(o Options) QueueAccess {
	o = o.withDefaults()
	access := QueueAccess{Endpoint: c.SQS.Endpoint}
	access.Credentials = o.credentials(!c.IsProduction() && access.Endpoint != "")
	if access.Region, _ = o.LookupEnv("AWS_REGION"); access.Region == "" {
		access.Region = c.Ledger.Region
	}
	return access
}

// KeySpaceMissing reports whether other producers have key spaces of their own and this one is not named, so that its ids fall into the
// unnamed one.
func (c *Config) KeySpaceMissing(producerARN string) bool {
	spaces := slices.ContainsFunc(c.Producers, func(p Producer) bool { return p.KeySpace != "" })
	named := slices.ContainsFunc(c.Producers, func(p Producer) bool { return p.ARN == producerARN })
	return spaces && !named
}
