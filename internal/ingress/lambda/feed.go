package lambda

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Feed takes the document of a parked record by the path of every delivery. read reports whether it can be read now and its source, which
// has forgotten it, would be told to: then the parked record may be closed. What was not acknowledged stays parked, to be fed again.
func (s *Sequence) Feed(ctx context.Context, document []byte) (results []Result, read bool) {
	doc := envelope.Decode(document, envelope.Options{Now: s.h.Clock.Now(), Numberless: s.h.Numberless, Mapping: s.h.Mapping, Keep: s.h.Parking != nil})
	read = true
	for _, record := range doc.Records {
		result := s.Record(ctx, doc, record)
		results = append(results, result)
		read = read && result.Acknowledged() && result.Outcome.Met != call.MetParked
	}
	return results, read
}
