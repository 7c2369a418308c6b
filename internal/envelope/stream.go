package envelope

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"

	"github.com/ringonce/ringonce/internal/call"
)

// readKinesis reads a record of a Kinesis event source mapping.
func (c *chain) readKinesis(record raw) {
	data := record.member("kinesis")
	c.record.BatchItemFailureID = data.member("sequenceNumber").text()
	c.readKinesisData("kinesis", "/kinesis/data", record, data)
}

// readPipesKinesis reads a record of a pipe: flat, and named in a partial response by its event id.
func (c *chain) readPipesKinesis(record raw) {
	c.record.BatchItemFailureID = record.member("eventID").text()
	c.readKinesisData("pipes-kinesis", "/data", record, record)
}

func (c *chain) readKinesisData(name, step string, record, data raw) {
	c.enter(name)
	c.unwraps = 1
	c.record.SourceARN = record.member("eventSourceARN").text()
	c.id("kinesis.eventID", record.member("eventID").text())
	at, ok := parseSeconds(data.member("approximateArrivalTimestamp"))
	c.stamp(at, ok, call.TierMessage, "kinesis.approximateArrivalTimestamp")
	c.settleTransport()
	c.carried = data.member("data")
	c.openData(step, data.member("data"))
}

// openData opens a value of a stream: base64, with gzip inside when its magic number says so, or the JSON value itself when a
// pipe has decoded it.
func (c *chain) openData(step string, data raw) {
	c.point(step)
	switch {
	case data.isObject():
		c.resolve(data)
		return
	case !data.isString():
		c.reject(ReasonPayloadMissing, "")
		return
	}
	content, ok := c.fromBase64(data.bytes())
	if ok && bytes.HasPrefix(content, []byte("\x1f\x8b")) {
		content, ok = c.gunzip(content)
	}
	if !ok {
		c.point("|json")
		c.reject(ReasonUndecodable, "")
		return
	}
	c.openText("", content)
}

func (c *chain) fromBase64(encoded []byte) ([]byte, bool) {
	c.point("|base64")
	content := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(content, encoded)
	return content[:n], err == nil
}

// maxInflatedRecord is twice what the largest SQS message holds; a request needs far less.
const maxInflatedRecord = 2 << 20

// gunzip inflates at most what a record may be and the document has left, so that a bomb costs no more than an honest document.
func (c *chain) gunzip(content []byte) ([]byte, bool) {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, false
	}
	limit := min(c.inflate, maxInflatedRecord)
	inflated, err := io.ReadAll(io.LimitReader(reader, int64(limit)+1))
	c.inflate -= min(len(inflated), c.inflate)
	if err != nil || len(inflated) > limit {
		return nil, false
	}
	c.point("|gzip")
	return inflated, true
}
