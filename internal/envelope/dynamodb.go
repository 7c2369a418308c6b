package envelope

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/call"
)

// readDynamoDB reads a record of a DynamoDB stream event source mapping.
func (c *chain) readDynamoDB(record raw) {
	c.record.BatchItemFailureID = record.member("dynamodb").member("SequenceNumber").text()
	c.readItem("dynamodb", record)
}

// readPipesDynamoDB reads a record of a pipe, named in a partial response by its event id.
func (c *chain) readPipesDynamoDB(record raw) {
	c.record.BatchItemFailureID = record.member("eventID").text()
	c.readItem("pipes-dynamodb", record)
}

// readItem reads the new image of an inserted item. Changes of an item are no requests.
func (c *chain) readItem(name string, record raw) {
	c.enter(name)
	c.unwraps = 1
	change := record.member("dynamodb")
	c.record.SourceARN = record.member("eventSourceARN").text()
	c.id("dynamodb.eventID", record.member("eventID").text())
	at, ok := parseSeconds(change.member("ApproximateCreationDateTime"))
	c.stamp(at, ok, call.TierMessage, "dynamodb.ApproximateCreationDateTime")
	c.settleTransport()
	image := change.member("NewImage")
	c.carried = image
	switch {
	case !record.member("eventName").is("INSERT"):
		c.ignore(ReasonNotInsert)
	case !image.isObject():
		c.at = c.at[:0]
		c.reject(ReasonPayloadMissing, "")
	default:
		c.point("/dynamodb/NewImage|attributevalue")
		plain, ok := appendItem(nil, image)
		if !ok {
			c.reject(ReasonUndecodable, "")
			return
		}
		c.resolve(plain)
	}
}

// appendItem writes a map of attribute values as plain JSON. Sets and binary values become null: no request holds one.
func appendItem(dst []byte, item raw) ([]byte, bool) {
	dst = append(dst, '{')
	empty := true
	for name, value := range item.members() {
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		quoted, err := jsontext.AppendQuote(dst, name)
		if err != nil {
			return dst, false
		}
		dst = append(quoted, ':')
		var ok bool
		if dst, ok = appendAttributeValue(dst, value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// appendAttributeValue writes one value such as {"S":"text"}. Depth is bounded by the strict check of the document.
func appendAttributeValue(dst []byte, value raw) ([]byte, bool) {
	for kind, content := range value.members() {
		switch string(kind) {
		case "S", "BOOL":
			return append(dst, content...), true
		case "N":
			// A number is a string of digits in a stream; it stays one type a request refuses.
			return append(dst, '0'), content.isString()
		case "M":
			return appendItem(dst, content)
		case "L":
			return appendList(dst, content)
		default:
			return append(dst, "null"...), true
		}
	}
	return dst, false
}

// appendList writes a list of attribute values as a JSON array: an escalation list is one.
func appendList(dst []byte, list raw) ([]byte, bool) {
	if !list.isArray() {
		return dst, false
	}
	dst = append(dst, '[')
	empty := true
	for value := range list.elements() {
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		var ok bool
		if dst, ok = appendAttributeValue(dst, value); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}
