// Package webhook tells producers what becomes of their calls: signed HTTP requests, in the order of each call's history, repeated until they
// are taken. The history in the ledger is the truth; how far an endpoint was told lies in a cell beside it. So a hint that is lost costs time,
// and a repeated one tells nothing twice that was taken. An event can still come twice, when its answer was lost: its id stays the same.
package webhook
