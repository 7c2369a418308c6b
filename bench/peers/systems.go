package main

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// The stores.
const (
	onSQLite   = "SQLite"
	onPostgres = "PostgreSQL"
	onDynamoDB = "DynamoDB"
)

// The rows of ringonce, which peers are compared with.
const (
	accepting = "ringonce Accept"
	placing   = "ringonce Place"
)

// system is one row of the table.
type system struct {
	name, store string
	like        string // the row of ringonce on the same store that does what this one does; empty for ringonce
	durable     string // the setting that makes an answer durable
	works       bool   // an answer means that the work was done too, once for each key
	open        func(ctx context.Context, where *place) (subject, error)
}

// systems returns all rows.
func systems() []system {
	const (
		full   = "WAL, synchronous=FULL"
		normal = "WAL, synchronous=NORMAL, as shipped: a power cut may take the newest answers"
		synced = "fsync=on, synchronous_commit=on"
		kept   = "the emulator's memory"
	)
	return []system{
		{accepting, onSQLite, "", full, false, ringonce{}.onSQLite},
		{placing, onSQLite, "", full, true, ringonce{places: true}.onSQLite},
		{"DBOS enqueue", onSQLite, accepting, full, false, workflows{synchronous: "FULL"}.open},
		{"DBOS workflow with a step", onSQLite, placing, full, true, workflows{synchronous: "FULL", works: true}.open},
		{"DBOS enqueue, as shipped", onSQLite, accepting, normal, false, workflows{synchronous: shipped}.open},
		{"DBOS workflow with a step, as shipped", onSQLite, placing, normal, true, workflows{synchronous: shipped, works: true}.open},

		{accepting, onPostgres, "", synced, false, ringonce{}.onPostgres},
		{placing, onPostgres, "", synced, true, ringonce{places: true}.onPostgres},
		{"DBOS enqueue", onPostgres, accepting, synced, false, workflows{}.open},
		{"DBOS workflow with a step", onPostgres, placing, synced, true, workflows{works: true}.open},
		{"River unique insert", onPostgres, accepting, synced, false, openRiver},

		{accepting, onDynamoDB, "", kept, false, ringonce{}.onDynamoDB},
		{placing, onDynamoDB, "", kept, true, ringonce{places: true}.onDynamoDB},
		{"Powertools makeIdempotent", onDynamoDB, placing, kept, true, openPowertools},
	}
}

// place is where systems are opened. Servers start when the first one needs them.
type place struct {
	tb       testing.TB
	emulator string

	postgres *pgtest.Server
	dynamoDB string
}

// schema returns connection strings to a new schema, for a pool of 20 and for one connection, and its name. DBOS has 20 by default, so all have.
func (p *place) schema() (pool, single, name string) {
	if p.postgres == nil {
		p.postgres = pgtest.Start(p.tb)
		// What the table says of durability; a server with other settings makes the division by zero.
		p.postgres.Exec(p.tb, "SELECT 1 / (current_setting('fsync') = 'on' AND current_setting('synchronous_commit') = 'on')::int")
	}
	name = p.postgres.Schema(p.tb)
	single = p.postgres.DSN(name, "")
	return single + "&pool_max_conns=20", single, name
}

// table returns the address of the emulator.
func (p *place) table() string {
	switch {
	case p.dynamoDB != "":
	case p.emulator == "moto":
		p.dynamoDB = awstest.StartMoto(p.tb)
	default:
		p.dynamoDB = awstest.StartDynalite(p.tb)
	}
	return p.dynamoDB
}
