// Package service is the life of `ringonce serve` around its API: the listener with its limits and its certificates, what operators look at
// (health, readiness, metrics, one log line a request), what it does when there is too much to do, and how it ends.
//
// It knows no call and no ledger. The API is a handler that is mounted, and what readiness means is handed in as named checks.
package service
