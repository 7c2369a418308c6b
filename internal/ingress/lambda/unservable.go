package lambda

import (
	"slices"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// The codes of records that end in this package.
const (
	CodeSourceNotServed  call.Code = "source_not_served"  // a transport this handler cannot answer yet
	CodeBatchItemUnnamed call.Code = "batch_item_unnamed" // a record of a queue that no partial response can name
	CodeNotReached       call.Code = "not_reached"        // the record was not started
	CodeGroupStopped     call.Code = "group_stopped"      // an earlier record of the FIFO group was not acknowledged
	CodePanicked         call.Code = "panicked"           // the program failed on this record
)

// answersByItem reports whether the source takes a partial batch response with message ids.
func answersByItem(doc envelope.Document) bool {
	return slices.Contains([]envelope.Style{envelope.StyleSQS, envelope.StyleSQSFIFO, envelope.StylePipesSQS}, doc.Style)
}

// unservable returns why nothing of a document may be started: a source whose answer is not known would lose records or repeat
// rings, and so would a record that the answer cannot name. Neither occurs with the sources of this handler.
func unservable(doc envelope.Document) *NotAcknowledged {
	if refusal := unserved(doc); refusal != nil {
		return refusal
	}
	if !answersByItem(doc) {
		return nil
	}
	for _, record := range doc.Records {
		if record.BatchItemFailureID == "" {
			return &NotAcknowledged{
				Code: CodeBatchItemUnnamed, Message: "A record has no messageId, so no partial batch response can return it; nothing was dialed.",
				Fix: "Feed the function from a queue, not from a rewritten batch.", Path: record.Path, Failed: len(doc.Records), Records: len(doc.Records),
			}
		}
	}
	return nil
}

// unserved returns why documents of a transport are not answered here, or nil.
func unserved(doc envelope.Document) *NotAcknowledged {
	if doc.Source != "" && doc.Source != call.SourceHTTP {
		return nil
	}
	return &NotAcknowledged{
		Code: CodeSourceNotServed, Message: "This function does not answer documents of this transport, so nothing was dialed.",
		Fix: "Send requests through SQS, SNS, EventBridge or a direct invocation.", Failed: len(doc.Records), Records: len(doc.Records),
	}
}
