package transport

import (
	"encoding/base64"
	"strconv"
	"time"
)

// streamRecord writes a record of a stream. It is the same at every read.
func (n *Network) streamRecord(p *parcel) []byte {
	if p.way == WayDynamoDB {
		return n.change(p)
	}
	doc := appendString([]byte(`{"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":`), p.msg.group())
	doc = append(append(doc, `,"sequenceNumber":"`...), p.RecordID...)
	doc = base64.StdEncoding.AppendEncode(append(doc, `","data":"`...), p.payload)
	doc = appendSeconds(append(doc, `","approximateArrivalTimestamp":`...), p.Sent)
	doc = append(doc, `},"eventSource":"aws:kinesis","eventVersion":"1.0","eventID":"`...)
	doc = append(append(doc, shard(p)...), ':')
	return append(append(doc, p.RecordID...), n.fixed.kinesisTail...)
}

func appendSeconds(dst []byte, at time.Time) []byte {
	millis := at.UnixMilli()
	dst = append(strconv.AppendInt(dst, millis/1000, 10), '.')
	rest := strconv.FormatInt(1000+millis%1000, 10)
	return append(dst, rest[1:]...)
}

// sequenceNumber returns a number that is longer than any integer of a computer, as those of streams are.
func (n *Network) sequenceNumber(p *parcel) string {
	digits := strconv.FormatInt(sequenceBase+p.ordinal, 10)
	if p.way == WayDynamoDB {
		return "42594" + digits
	}
	return "4966504992827163892919225014832206" + digits
}
