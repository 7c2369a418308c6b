package envelope

import (
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// maxInflated bounds what all compressed payloads of one document may grow to together.
const maxInflated = MaxDocumentBytes

// Decode reads an event document: what a Lambda function is invoked with, or one message as a worker received it. It never
// fails as a whole and never panics; what cannot be read is a rejected [Record] that says why. The document is not kept.
func Decode(document []byte, opts Options) Document {
	r := newReading(opts)
	if len(document) > MaxDocumentBytes {
		return r.refused(ReasonTooLarge)
	}
	value, d, readable := check(document)
	if !readable {
		return r.refused(d.reason)
	}
	if raw(value).isArray() {
		return r.array(value, d)
	}
	var v view
	v.look(value)
	return r.object(value, &v, d)
}

func newReading(opts Options) *reading {
	r := &reading{
		now: opts.Now, maxUnwraps: opts.MaxUnwraps, numberless: opts.Numberless, inflate: maxInflated, mappings: opts.Mapping, explain: opts.Explain,
		keep: opts.Keep,
	}
	if r.maxUnwraps <= 0 {
		r.maxUnwraps = maxUnwraps
	}
	return r
}

// refused is a document of which nothing can be read.
func (r *reading) refused(reason Reason) Document {
	c := r.start("")
	c.enter("direct")
	c.reject(reason, "")
	return single(c, StyleNone, call.SourceDirect)
}

func single(c *chain, style Style, source call.Source) Document {
	return Document{Style: style, Source: source, Records: []Record{c.finish(source)}}
}

// array reads a top-level array: a batch of EventBridge Pipes or of a custom event bus.
func (r *reading) array(value raw, d *defect) Document {
	elements := value.list(MaxRecords)
	switch {
	case len(elements) == 0:
		c := r.start("")
		c.ignore(ReasonEmptyBatch)
		return single(c, StyleNone, call.SourceDirect)
	case len(elements) > MaxRecords:
		return r.refused(ReasonTooLarge)
	}
	name := string(sourceOf(elements[0]))
	if t, ok := pipesTransports[name]; ok {
		return r.batch("", elements, name, t, d)
	}
	return r.customBus(elements, d)
}

// customBus reads a batch of a custom event bus, with metadata or without.
func (r *reading) customBus(elements []raw, whole *defect) Document {
	doc := Document{Style: StyleCustomBus, Source: call.SourceCustomBus}
	defects := blame(elements, whole)
	for index, element := range elements {
		c := r.start("/" + strconv.Itoa(index))
		c.source = doc.Source
		if defects != nil {
			c.defect = defects[index]
		}
		c.enter("custombus-array")
		c.bare = true
		c.resolve(element)
		c.keepRecord("[", element, "]")
		doc.Records = append(doc.Records, c.finish(doc.Source))
	}
	return doc
}

// object reads a top-level object: a batch, an HTTP request, or one event.
func (r *reading) object(value raw, v *view, d *defect) Document {
	if records := v.get(keyRecords); records.isArray() && !v.payload {
		elements := records.list(MaxRecords)
		switch {
		case len(elements) == 0:
			c := r.start("")
			c.defect = d
			c.ignore(ReasonEmptyBatch)
			return single(c, StyleNone, call.SourceDirect)
		case len(elements) > MaxRecords:
			return r.refused(ReasonTooLarge)
		}
		name := string(sourceOf(elements[0]))
		if t, known := batchTransports[name]; known {
			return r.batch("/Records", elements, name, t, d)
		}
	}
	if isKafka(v) {
		return r.kafka(v, d)
	}
	c := r.start("")
	c.defect = d
	if request := c.readHTTP(v); request != nil {
		doc := single(c, StyleNone, call.SourceHTTP)
		doc.HTTP = request
		return doc
	}
	c.bare, c.sweepable, c.wakeable = true, true, true
	c.resolve(value)
	source := c.outermost()
	if source != call.SourceDirect {
		c.keepRecord("", value, "")
	}
	if source == call.SourceCustomBus {
		return single(c, StyleCustomBus, source)
	}
	return single(c, StyleNone, source)
}

// outermost returns the source of the document as far as it has been read.
func (c *chain) outermost() call.Source {
	switch {
	case c.source != "":
		return c.source
	case len(c.record.Nesting) > 0 && c.record.Nesting[0] == "eventbridge":
		return call.SourceEventBridge
	case len(c.record.Nesting) > 0 && c.record.Nesting[0] == "custombus-envelope":
		return call.SourceCustomBus
	}
	return call.SourceDirect
}
