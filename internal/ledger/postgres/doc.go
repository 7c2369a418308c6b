// Package postgres is the ledger in a PostgreSQL database that several processes share, on github.com/jackc/pgx.
//
// Durability: a write is answered after PostgreSQL has answered its commit; a server that does not sync is refused. One goroutine of a process
// writes calls, and everything that waits when it begins goes into one transaction (group commit), sent in one round trip. The transaction begins
// with a lock on the one row of table ledger, so that over all processes one group is written after the other: numbers of writes have no
// gaps, their order is the order of the commits, and a conflict of two groups cannot be (docs/adr/0022). Reads, cells and parked records need no
// lock.
//
// Lost answers: an error that PostgreSQL itself sent rolled the group back, and then each write of it is tried alone once. A connection that broke
// leaves the group's fate unknown: its callers get a plain error, and the driver tries nothing again.
//
// Restores: a database put back from a backup, or a standby that was promoted before it knew everything, has forgotten rings. The ledger
// remembers the server's system identifier and timeline, a witness file beside each process how far the ledger was. Both are compared when the
// ledger is opened, for each new connection, and before nothing is answered (witness.go, connect.go).
//
// The statements are in statements/*.sql, compiled by sqlc into package queries; the schema is in migrations/*.sql.
//
// Reading order: options.go, open.go, connect.go; write.go, writer.go, group.go, creates.go, verdict.go; read.go, index.go; journal.go, landing.go; witness.go.
package postgres

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.30.0 generate
