package call

import (
	"context"
	"strings"
)

// Beginnings is what an [Index] may offer beside its methods: it finds rows by the beginning of their id without looking through the others.
type Beginnings interface {
	// ByBeginning returns at most limit ids that begin with a text, in their order as bytes.
	ByBeginning(ctx context.Context, beginning string, limit int) ([]string, error)
}

// Behind returns the first text, as bytes are compared, that lies behind every id with this beginning. Ids are of ASCII letters, digits, - and _.
func Behind(beginning string) string { return beginning + "\x7f" }

// ByBeginning returns at most limit ids that begin with a text. An index that offers no [Beginnings] is looked through until there are as many.
func ByBeginning(ctx context.Context, x Index, beginning string, limit int) (ids []string, err error) {
	if b, ok := x.(Beginnings); ok {
		return b.ByBeginning(ctx, beginning, limit)
	}
	for f := (Filter{Limit: beginningsPage}); ; {
		page, next, err := x.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if strings.HasPrefix(c.ID, beginning) {
				ids = append(ids, c.ID)
			}
			if len(ids) == limit {
				return ids, nil
			}
		}
		if f.Cursor = next; next == "" {
			return ids, nil
		}
	}
}

const beginningsPage = 200
