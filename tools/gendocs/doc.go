// Command gendocs writes the documents that are data of the core: docs/acknowledge.md from [call.AckTable],
// docs/state-machine.md from [call.States] and docs/idempotent-apis.md from [clienttoken.Rules]. Its argument is the folder of the
// documents. `go generate ./...` runs it, and a test fails while a committed document is stale.
package main
