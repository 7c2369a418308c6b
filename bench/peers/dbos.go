package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // DBOS on SQLite
)

// workflows is DBOS Transact for Go with the key as workflow id.
type workflows struct {
	synchronous string // of SQLite; shipped is what DBOS sets by itself, and empty is PostgreSQL
	works       bool   // run the workflow, which has one step that does nothing, and take its result; otherwise enqueue it for whoever runs it later
}

const (
	shipped      = "as shipped"
	workflowName = "place"
	queueName    = "calls"
	// stopTime is how long DBOS may take to end.
	stopTime = 10 * time.Second
)

// transact is DBOS as a subject.
type transact struct {
	client dbos.Client
	run    func(o order) error
	count  func(ctx context.Context) (int, error)
	steps  atomic.Int64
	busy   atomic.Int64
}

func (w workflows) open(ctx context.Context, where *place) (subject, error) {
	t := &transact{}
	status := "ENQUEUED"
	if w.works {
		status = "SUCCESS"
	}
	config := dbos.Config{AppName: "peers", ApplicationVersion: "1", Logger: slog.New(slog.DiscardHandler)}
	question := "workflow_status WHERE workflow_uuid LIKE 'notification-%' AND status = '" + status + "'"
	file := func() (*sql.DB, error) { return nil, nil } // DBOS opens its own
	if w.synchronous == "" {
		pool, single, schema := where.schema()
		config.DatabaseURL, config.DatabaseSchema = pool, schema
		t.count = func(ctx context.Context) (int, error) {
			return countSchema(ctx, single, "SELECT count(*) FROM "+question)
		}
	} else {
		path := filepath.Join(where.tb.TempDir(), "dbos.db")
		if w.synchronous == shipped {
			config.DatabaseURL = "sqlite:" + path
		} else {
			file = func() (*sql.DB, error) { return openFile(path, w.synchronous) }
		}
		t.count = func(ctx context.Context) (int, error) { return countFile(ctx, path, "SELECT count(*) FROM "+question) }
	}
	return t, t.launch(ctx, config, file, w.works)
}

// openFile opens a file as DBOS does by itself (OpenSQLitePool in its sysdb/sqlite_pool.go), but for synchronous, which is NORMAL there and safe only
// from a crash of the process.
func openFile(path, synchronous string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", fmt.Sprintf("file:%s?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(ON)&_pragma=journal_mode(WAL)&_pragma=synchronous(%s)", path, synchronous))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(4)
	db.SetConnMaxLifetime(time.Hour)
	return db, nil
}

// launch makes the tables, and then runs workflows or, where they are only enqueued, is a client. DBOS closes each file that it was given.
func (t *transact) launch(ctx context.Context, config dbos.Config, file func() (*sql.DB, error), works bool) (err error) {
	if config.SQLiteSystemDB, err = file(); err != nil {
		return err
	}
	executor, err := dbos.NewContext(ctx, config)
	if err != nil {
		return err
	}
	dbos.RegisterWorkflow(executor, t.workflow, dbos.WithWorkflowName(workflowName))
	if err := dbos.Launch(executor); err != nil {
		return err
	}
	if works {
		t.client = executor
		t.run = func(o order) error {
			handle, err := dbos.RunWorkflow(executor, t.workflow, o, dbos.WithWorkflowID(o.key()))
			if err != nil {
				return err
			}
			_, err = handle.GetResult()
			return err
		}
		return nil
	}
	if err := dbos.Shutdown(executor, stopTime); err != nil {
		return err
	}
	if config.SQLiteSystemDB, err = file(); err != nil {
		return err
	}
	client, err := dbos.NewClient(ctx, dbos.ClientConfig{
		AppName: config.AppName, DatabaseURL: config.DatabaseURL, DatabaseSchema: config.DatabaseSchema, SQLiteSystemDB: config.SQLiteSystemDB, Logger: config.Logger,
	})
	if err != nil {
		return err
	}
	t.client = client
	t.run = func(o order) error {
		_, err := dbos.Enqueue[string](client, queueName, workflowName, o, dbos.WithEnqueueWorkflowID(o.key()))
		return err
	}
	return nil
}

// workflow is what is to be done once: a step that does nothing.
func (t *transact) workflow(ctx dbos.Context, _ order) (string, error) {
	return dbos.RunAsStep(ctx, func(context.Context) (string, error) {
		t.steps.Add(1)
		return "contact-1", nil
	})
}

func (t *transact) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	before := t.busy.Load()
	p, err := inLanes(ctx, first, number, lanes, t.one)
	p.refused = t.busy.Load() - before
	return p, err
}

// one asks again while SQLite's lock was not had within the five seconds that DBOS waits for it, which happens on a busy disk: the answer is an error,
// and a caller who keeps its idempotency key loses nothing by that but time.
func (t *transact) one(ctx context.Context, n int) (said, error) {
	for {
		err := t.run(orderOf(n))
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "SQLITE_BUSY") {
			return silent, err
		}
		t.busy.Add(1)
	}
}

func (t *transact) kept(ctx context.Context) (tally, error) {
	rows, err := t.count(ctx)
	return tally{rows: rows, runs: int(t.steps.Load())}, err
}

func (t *transact) close() error { return dbos.Shutdown(t.client, stopTime) }
