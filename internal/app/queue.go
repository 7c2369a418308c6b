package app

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// QueueAccess is how a command reaches a queue of SQS. Which queue, its command is told.
type QueueAccess struct {
	Endpoint    string // of an emulator; empty for SQS itself
	Region      string // of the environment, for URLs that name none
	Credentials aws.CredentialsProvider
}

// QueueAccess returns how a command reaches a queue, or an *call.Error for a production environment that points elsewhere, although nothing
// here would follow it.
func (c *Config) QueueAccess(lookup func(name string) (string, bool)) (QueueAccess, error) {
	access := QueueAccess{Endpoint: c.SQS.Endpoint}
	access.Credentials = environment{lookup: lookup, test: !c.IsProduction() && access.Endpoint != ""}
	access.Region, _ = lookup("AWS_REGION")
	if !c.IsProduction() {
		return access, nil
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SQS"} {
		if _, set := lookup(name); set {
			return access, c.refuse("sqs.endpoint", "Unset the variable "+name+".", "is not set, but %s names another endpoint in a production environment.", name)
		}
	}
	return access, nil
}

// KeySpaceMissing reports whether other producers have key spaces of their own and this one is not named, so that its ids fall into the
// unnamed one.
func (c *Config) KeySpaceMissing(producerARN string) bool {
	spaces := slices.ContainsFunc(c.Producers, func(p Producer) bool { return p.KeySpace != "" })
	named := slices.ContainsFunc(c.Producers, func(p Producer) bool { return p.ARN == producerARN })
	return spaces && !named
}
