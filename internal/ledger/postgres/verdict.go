package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// verdict is what the statement of a write answers: the number of the write, or what was there before it.
type verdict struct {
	applied    int64 // 0: nothing was written
	version    int64 // of the row that was there; 0: none
	doc        []byte
	own        bool   // the op is in the row's history
	opOwner    string // the row whose history has the op
	tokenTaken bool   // by another row, also a forgotten one
}

func (v *verdict) scan(row pgx.Row) error {
	return row.Scan(&v.applied, &v.version, &v.doc, &v.own, &v.opOwner, &v.tokenTaken)
}

// enqueue puts the statement of the job into a pipeline.
func (j *job) enqueue(ctx context.Context, q *queries.Queries, incarnation string) {
	c, e := &j.write.Row, &j.write.Entry
	switch j.kind {
	case jobCreate:
		_, _ = q.CreateCall(ctx, queries.CreateCallParams{
			Incarnation: incarnation, ID: c.ID, State: string(c.State), Due: optional(c.DueAt()), Token: orNull(c.Token), TokenHash: j.tokenHash,
			Contact: orNull(c.ContactID), Recipient: orNull(j.recipient), Doc: j.doc,
			Op: e.Op, Kind: string(e.Kind), At: nanos(e.At), Body: e.Body, Hash: e.Hash,
		})
	case jobUpdate:
		_, _ = q.UpdateCall(ctx, queries.UpdateCallParams{
			Incarnation: incarnation, ID: c.ID, Version: c.Version, Before: c.Version - 1, State: string(c.State), Due: optional(c.DueAt()),
			Token: orNull(c.Token), TokenHash: j.tokenHash, Contact: orNull(c.ContactID), Doc: j.doc,
			Op: e.Op, Kind: string(e.Kind), At: nanos(e.At), Body: e.Body, Hash: e.Hash,
		})
	case jobErase:
		_, _ = q.EraseCall(ctx, queries.EraseCallParams{
			Incarnation: incarnation, ID: c.ID, Version: c.Version, Before: c.Version - 1, State: string(c.State), Due: optional(c.DueAt()),
			Contact: orNull(c.ContactID), Doc: j.doc,
			Op: e.Op, Kind: string(e.Kind), At: nanos(e.At), Body: e.Body, Hash: e.Hash,
		})
	case jobNote, jobStop:
	}
}

// judge turns the verdict into the answer that [call.Ledger] promises.
func (j *job) judge(v verdict) answer {
	c, e := &j.write.Row, &j.write.Entry
	if v.applied > 0 {
		return answer{written: call.Written{Applied: true, Row: *c}, fresh: true}
	}
	if v.version > 0 {
		fits := j.kind != jobCreate && v.version == c.Version-1
		if v.own || !fits {
			current, err := decode(v.doc)
			return answer{written: call.Written{Applied: v.own, Row: current}, err: err}
		}
	} else if j.kind != jobCreate {
		return answer{err: fmt.Errorf("update row %s: %w", c.ID, call.ErrNotFound)}
	}
	switch {
	case v.opOwner != "":
		return answer{err: fmt.Errorf("row %s: op id %s belongs to row %s: nothing was written", c.ID, e.Op, v.opOwner)}
	case v.tokenTaken:
		return answer{err: fmt.Errorf("row %s: %w", c.ID, call.ErrTokenTaken)}
	}
	return answer{err: fmt.Errorf("row %s: nothing was written and nothing speaks against it: somebody writes to the ledger beside its lock", c.ID)}
}

// hashToken stands for a client token in erased_tokens; empty, which no hash is, for none.
func hashToken(token string) string {
	if token == "" {
		return ""
	}
	digest := sha256.Sum256([]byte(token))
	return hex.EncodeToString(digest[:])
}
