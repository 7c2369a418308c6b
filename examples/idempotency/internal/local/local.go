// Package local is how the tests of the examples reach a server on this machine.
package local

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Region is the Region that the emulators are asked for.
const Region = "us-east-1"

// Config returns the configuration of clients that talk to the server at url.
func Config(url string) aws.Config {
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	return aws.Config{Region: Region, BaseEndpoint: &url, Credentials: credentials}
}
