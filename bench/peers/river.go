package main

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// jobArgs are unique by what names the call.
type jobArgs struct {
	NotificationID         string            `json:"notificationId" river:"unique"`
	RecipientID            string            `json:"recipientId" river:"unique"`
	DestinationPhoneNumber string            `json:"destinationPhoneNumber"`
	Profile                string            `json:"profile"`
	Attributes             map[string]string `json:"attributes"`
}

// Kind implements river.JobArgs.
func (jobArgs) Kind() string { return "place" }

// jobs is River as a subject: a client that inserts and works on nothing.
type jobs struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	single string
}

func openRiver(ctx context.Context, where *place) (subject, error) {
	pooled, single, _ := where.schema()
	pool, err := pgxpool.New(ctx, pooled)
	if err != nil {
		return nil, err
	}
	j := &jobs{pool: pool, single: single}
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err == nil {
		j.client, err = river.NewClient(driver, &river.Config{Logger: slog.New(slog.DiscardHandler)})
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return j, nil
}

func (j *jobs) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	return inLanes(ctx, first, number, lanes, func(ctx context.Context, n int) (said, error) {
		inserted, err := j.client.Insert(ctx, jobArgs(orderOf(n)), &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}})
		switch {
		case err != nil:
			return silent, err
		case inserted.UniqueSkippedAsDuplicate:
			return old, nil
		}
		return fresh, nil
	})
}

func (j *jobs) kept(ctx context.Context) (tally, error) {
	rows, err := countSchema(ctx, j.single, "SELECT count(*) FROM river_job")
	return tally{rows: rows}, err
}

func (j *jobs) close() error {
	j.pool.Close()
	return nil
}
