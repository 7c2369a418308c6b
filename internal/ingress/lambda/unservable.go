package lambda

import (
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// The codes of records that end in this package.
const (
	CodeBatchItemUnnamed call.Code = "batch_item_unnamed" // a record that no partial response can name
	CodeNotReached       call.Code = "not_reached"        // the record was not started
	CodeGroupStopped     call.Code = "group_stopped"      // an earlier record of the FIFO group was not acknowledged
	CodePanicked         call.Code = "panicked"           // the program failed on this record
)

// unservable returns why nothing of a document may be started: a record that the answer cannot name would be lost, or its neighbors
// repeated. It does not occur with batches as their sources make them.
func unservable(doc envelope.Document) *NotAcknowledged {
	if !answersByItem(doc) {
		return nil
	}
	for _, record := range doc.Records {
		if _, named := itemOf(record); !named && record.Reason != envelope.ReasonEmptyBatch {
			return &NotAcknowledged{
				Code: CodeBatchItemUnnamed, Message: "A record has no id of its source, so no partial batch response can return it; nothing was dialed.",
				Fix: "Feed the function from the source itself, not from a rewritten batch.", Path: record.Path, Failed: len(doc.Records), Records: len(doc.Records),
			}
		}
	}
	return nil
}
