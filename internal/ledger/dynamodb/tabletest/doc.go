// Package tabletest is a DynamoDB table in memory for the tests of the ledger and of what runs on it: an HTTP client for the SDK that counts
// requests and breaks them where it is told to. It understands the expressions of package dynamodb and no others; that they mean the same to
// DynamoDB is what the integration tests, on servers of other authors, are for.
package tabletest
