package transport

import "strconv"

// document returns what the function is invoked with.
func (n *Network) document(f *flight) []byte {
	switch f.way {
	case WaySQS, WaySQSFIFO, WayKinesis, WayDynamoDB:
		return n.batch(f)
	case WayHTTP:
		return n.request(f.parcels[0], f.started)
	case WayAsync, WayDirect:
	}
	return f.parcels[0].text
}

// batch writes the document of an event source mapping.
func (n *Network) batch(f *flight) []byte {
	const around = 700 // of a record, besides its body and marks
	size := 16
	for _, p := range f.parcels {
		size += around + len(p.quoted) + len(p.marks)
		if f.way.stream() {
			size += len(p.text) - around
		}
	}
	doc := append(make([]byte, 0, size), `{"Records":[`...)
	for i, p := range f.parcels {
		if i > 0 {
			doc = append(doc, ',')
		}
		if f.way.stream() {
			doc = append(doc, p.text...)
		} else {
			doc = n.queueRecord(doc, p, f.id)
		}
	}
	return append(doc, `]}`...)
}

// queueRecord writes one message of a queue.
func (n *Network) queueRecord(doc []byte, p *parcel, receipt int) []byte {
	doc = append(append(doc, `{"messageId":"`...), p.QueueID...)
	doc = strconv.AppendInt(append(doc, `","receiptHandle":"AQEB`...), int64(receipt), 10)
	doc = append(append(doc, `","body":`...), p.quoted...)
	doc = appendNumber(append(doc, `,"attributes":{"ApproximateReceiveCount":`...), int64(p.received))
	if p.deadOf != "" {
		doc = append(append(append(doc, `,"DeadLetterQueueSourceArn":"`...), p.deadOf...), '"')
	}
	doc = appendNumber(append(doc, `,"SentTimestamp":`...), p.Sent.UnixMilli())
	if p.way == WaySQSFIFO {
		doc = appendNumber(append(doc, `,"SequenceNumber":`...), sequenceBase+p.ordinal)
		doc = appendString(append(doc, `,"MessageGroupId":`...), p.msg.group())
		doc = appendString(append(doc, `,"MessageDeduplicationId":`...), p.dedup)
	} else if p.msg.Group != "" {
		doc = appendString(append(doc, `,"MessageGroupId":`...), p.msg.Group)
	}
	doc = append(doc, `,"SenderId":"AIDAEXAMPLE","ApproximateFirstReceiveTimestamp":`...)
	doc = appendNumber(doc, p.firstReceived.UnixMilli())
	doc = append(doc, `},"messageAttributes":{`...)
	doc = append(append(doc, p.marks...), `},"md5OfBody":"`...)
	return append(append(doc, p.sum...), n.tail(p)...)
}

const sequenceBase = 1_887_067_963_580_332_000 // SequenceNumber has 20 digits and gaps

func (n *Network) tail(p *parcel) string {
	switch fifo := p.way == WaySQSFIFO; {
	case p.state == StateDeadLetter && p.deadOf == "":
		return n.fixed.plainDeadTail
	case p.state == StateDeadLetter && fifo:
		return n.fixed.deadFIFOTail
	case p.state == StateDeadLetter:
		return n.fixed.deadTail
	case fifo:
		return n.fixed.fifoTail
	}
	return n.fixed.queueTail
}

// mark is a message attribute of a dead letter.
type mark struct{ name, value string }

// marks writes message attributes. ErrorCode alone is a Number.
func marks(all ...mark) []byte {
	var out []byte
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		kind := "String"
		if m.name == "ErrorCode" {
			kind = "Number"
		}
		out = append(appendString(out, m.name), `:{"stringValue":`...)
		out = append(appendString(out, m.value), `,"stringListValues":[],"binaryListValues":[],"dataType":"`...)
		out = append(append(out, kind...), `"}`...)
	}
	return out
}
