package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// noDue stands for null in an array of dues. No call is made by one statement with others whose due is stored so.
const noDue = math.MinInt64

// runs cuts a group, in its order, into what one statement writes: a run of creates that cannot meet each other, or one job.
func runs(group []*job) [][]*job {
	var cut [][]*job
	for len(group) > 0 {
		n := alike(group)
		cut, group = append(cut, group[:n:n]), group[n:]
	}
	return cut
}

// alike returns how many jobs at the beginning of a group one statement writes. What of a run is free is judged for all of it before anything is
// written, so no two of its calls may have an id, an op or a token in common.
func alike(group []*job) int {
	names := make(map[string]struct{}, len(group))
	for i, j := range group {
		w := &j.write
		if due := optional(w.Row.DueAt()); j.kind != jobCreate || due != nil && *due == noDue {
			return max(i, 1)
		}
		before := len(names)
		names["id "+w.Row.ID], names["op "+w.Entry.Op] = struct{}{}, struct{}{}
		fresh := 2
		if w.Row.Token != "" {
			names["token "+w.Row.Token] = struct{}{}
			fresh++
		}
		if len(names) != before+fresh {
			return max(i, 1)
		}
	}
	return len(group)
}

// enqueueRun puts the statement of a run into a pipeline.
func enqueueRun(ctx context.Context, q *queries.Queries, incarnation string, run []*job) {
	if len(run) == 1 {
		run[0].enqueue(ctx, q, incarnation)
		return
	}
	p := queries.CreateCallsParams{Incarnation: incarnation}
	for _, j := range run {
		c, e := &j.write.Row, &j.write.Entry
		due := int64(noDue)
		if at := optional(c.DueAt()); at != nil {
			due = *at
		}
		p.Ids, p.States, p.Dues = append(p.Ids, c.ID), append(p.States, string(c.State)), append(p.Dues, due)
		p.Tokens, p.TokenHashes = append(p.Tokens, c.Token), append(p.TokenHashes, j.tokenHash)
		p.Contacts, p.Recipients, p.Docs = append(p.Contacts, c.ContactID), append(p.Recipients, j.recipient), append(p.Docs, j.doc)
		p.Ops, p.Kinds, p.Ats = append(p.Ops, e.Op), append(p.Kinds, string(e.Kind)), append(p.Ats, nanos(e.At))
		p.Bodies, p.Hashes = append(p.Bodies, e.Body), append(p.Hashes, e.Hash)
	}
	_, _ = q.CreateCalls(ctx, p)
}

// readRun reads the answers to the statement of a run.
func readRun(results pgx.BatchResults, run []*job, answers []answer) error {
	if len(run) == 1 {
		if !run[0].kind.calls() {
			return nil
		}
		var v verdict
		if err := v.scan(results.QueryRow()); err != nil {
			return fenced(err)
		}
		answers[0] = run[0].judge(v)
		return nil
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	read := 0
	for ; rows.Next(); read++ {
		var v verdict
		var place int32
		if err := rows.Scan(&place, &v.applied, &v.version, &v.doc, &v.own, &v.opOwner, &v.tokenTaken); err != nil {
			return err
		}
		answers[place-1] = run[place-1].judge(v)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if read != len(run) {
		return fmt.Errorf("%d of %d creates were answered: %w", read, len(run), errSuperseded)
	}
	return nil
}
