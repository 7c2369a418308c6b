// Package httpapi is the HTTP API of the service: the document openapi.yaml, the server that is generated from it in oas, and what each operation
// does with the core (docs/api.md). It authenticates nobody: who asks is in the context (package access).
package httpapi
