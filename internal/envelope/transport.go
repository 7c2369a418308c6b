package envelope

import (
	"bytes"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// transport is one way a batch of records arrives: a row of table A of facts/event-envelopes.md section 1.
type transport struct {
	style  Style
	source call.Source
	fifo   call.Source // the source when the queue's ARN ends in .fifo, empty when there is no such thing
	read   func(c *chain, record raw)
}

// batchTransports are the sources of a Records array.
var batchTransports = map[string]transport{
	"aws:sqs":      {StyleSQS, call.SourceSQS, call.SourceSQSFIFO, (*chain).readSQS},
	snsSource:      {StyleNone, call.SourceSNS, "", (*chain).openSNSRecord},
	"aws:kinesis":  {StyleStream, call.SourceKinesis, "", (*chain).readKinesis},
	"aws:dynamodb": {StyleStream, call.SourceDynamoDB, "", (*chain).readDynamoDB},
}

// pipesTransports are the sources of an EventBridge Pipes batch, which is a bare array of flat records.
var pipesTransports = map[string]transport{
	"aws:sqs":          {StylePipesSQS, call.SourceSQS, call.SourceSQSFIFO, (*chain).readPipesSQS},
	"aws:kinesis":      {StylePipesKinesis, call.SourceKinesis, "", (*chain).readPipesKinesis},
	"aws:dynamodb":     {StylePipesDynamoDB, call.SourceDynamoDB, "", (*chain).readPipesDynamoDB},
	"aws:kafka":        {StyleNone, call.SourceKafka, "", (*chain).readPipesKafka},
	"SelfManagedKafka": {StyleNone, call.SourceKafka, "", (*chain).readPipesKafka},
}

// sourceOf returns the source a record names. Only SNS writes the member with a capital letter.
func sourceOf(record raw) []byte {
	if name := record.member("eventSource"); name.isString() {
		return name.bytes()
	}
	if name := record.member("EventSource"); name.is(snsSource) && record.member("Sns").isObject() {
		return name.bytes()
	}
	return nil
}

// batch reads the elements of an array of records. All of them must come from the source of the first one.
func (r *reading) batch(path string, records []raw, name string, t transport, whole *defect) Document {
	doc := Document{Style: t.style, Source: t.source, Records: make([]Record, 0, len(records))}
	if arn := records[0].member("eventSourceARN"); t.fifo != "" && bytes.HasSuffix(arn.bytes(), []byte(".fifo")) {
		doc.Source, doc.FIFO = t.fifo, true
		if doc.Style == StyleSQS {
			doc.Style = StyleSQSFIFO
		}
	}
	defects := blame(records, whole)
	for index, record := range records {
		c := r.start(path + "/" + strconv.Itoa(index))
		c.source = doc.Source
		if defects != nil {
			c.defect = defects[index]
		}
		switch {
		case !record.isObject():
			c.reject(ReasonUnrecognized, "")
		case string(sourceOf(record)) != name:
			c.record.BatchItemFailureID = record.member("messageId").text()
			c.reject(ReasonUnrecognized, "eventSource")
		default:
			t.read(c, record)
		}
		if path == "" {
			c.keepRecord("[", record, "]")
		} else {
			c.keepRecord(`{"Records":[`, record, "]}")
		}
		doc.Records = append(doc.Records, c.finish(doc.Source))
	}
	return doc
}

// blame looks for the defect of a document in each of its records, so that one bad record does not refuse its neighbors. It
// returns nil for a sound document. A defect around the records refuses them all: what they are part of cannot be trusted.
func blame(records []raw, whole *defect) []*defect {
	if whole == nil {
		return nil
	}
	var defects []*defect
	found := false
	for _, record := range records {
		_, d, _ := check(record)
		found = found || d != nil
		defects = append(defects, d)
	}
	if !found {
		for i := range defects {
			defects[i] = &defect{reason: whole.reason}
		}
	}
	return defects
}
