// Package kmskey makes and opens the data keys of a ledger with AWS KMS. It is the one place that speaks to KMS: the driver knows its port
// alone, and nothing is connected, read or resolved before the first key is asked for.
//
// GenerateDataKey and Decrypt change nothing, so a request that was throttled, answered by a 5xx or not answered is sent again, three times
// in all within 150 ms of pauses. Every error is a [call.Error] of code ledger_unavailable that names the key, and the permission where
// one is missing: a delivery goes back to its source, and nothing was dialed.
package kmskey
