package postgres

import (
	"context"
	"math"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// enqueue puts the notes into a pipeline, one statement for all texts and one for what is only counted. A row that was forgotten takes none.
func (b *bundle) enqueue(ctx context.Context, q *queries.Queries) {
	if b == nil {
		return
	}
	texts := queries.KeepNotesParams{Most: math.MaxInt64}
	if b.keep == suppressionsFirst {
		texts.Most = firstTexts
	}
	var counts queries.CountSuppressedParams
	var owner int32
	for _, of := range b.rows {
		if len(of.texts) > 0 {
			texts.Rows = append(texts.Rows, of.id)
			owner++
		}
		var suppressed int32
		for _, t := range of.texts {
			var rank int32
			if t.kind == call.NoteSuppressed {
				suppressed++
				rank = suppressed
			}
			texts.RowIds, texts.Kinds, texts.Onces = append(texts.RowIds, of.id), append(texts.Kinds, string(t.kind)), append(texts.Onces, t.once)
			texts.Bodies, texts.Ranks, texts.Owners = append(texts.Bodies, t.body), append(texts.Ranks, rank), append(texts.Owners, owner)
		}
		if of.counted > 0 {
			counts.RowIds, counts.More = append(counts.RowIds, of.id), append(counts.More, of.counted)
		}
	}
	if len(texts.RowIds) > 0 {
		_ = q.KeepNotes(ctx, texts)
	}
	if len(counts.RowIds) > 0 {
		_ = q.CountSuppressed(ctx, counts)
	}
}
