// Package kmstest is AWS KMS in memory for the tests of what stands on data keys: an HTTP client for the SDK that knows GenerateDataKey and
// Decrypt, counts requests and breaks them where it is told to. That KMS itself answers so is what the integration tests, on a server of
// another author, are for.
package kmstest
