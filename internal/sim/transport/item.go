package transport

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// change writes the stream record of a request that was inserted into a table.
func (n *Network) change(p *parcel) []byte {
	doc := append([]byte(`{"eventID":"`), p.RecordID...)
	doc = append(append(doc, `","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"`...), n.options.Region...)
	doc = append(doc, `","dynamodb":{"ApproximateCreationDateTime":`...)
	doc = strconv.AppendInt(doc, p.Sent.Unix(), 10)
	doc = append(append(doc, `,"SequenceNumber":"`...), p.RecordID...)
	doc = append(doc, `","SizeBytes":230,"StreamViewType":"NEW_IMAGE","NewImage":`...)
	return append(appendImage(doc, p.payload), n.fixed.dynamoTail...)
}

// appendImage writes a JSON object as a map of attribute values. The payload was checked when it was published.
func appendImage(dst, object []byte) []byte {
	decoder := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return append(dst, "{}"...)
	}
	return appendMembers(dst, decoder)
}

// appendMembers writes the members up to the end of the object that was begun.
func appendMembers(dst []byte, decoder *jsontext.Decoder) []byte {
	dst = append(dst, '{')
	for first := true; decoder.PeekKind() == jsontext.KindString; first = false {
		name, err := decoder.ReadValue()
		if err != nil {
			break
		}
		if !first {
			dst = append(dst, ',')
		}
		dst = appendAttribute(append(append(dst, name...), ':'), decoder)
	}
	_, _ = decoder.ReadToken() // the end; the payload is sound
	return append(dst, '}')
}

func appendAttribute(dst []byte, decoder *jsontext.Decoder) []byte {
	kind := decoder.PeekKind()
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		_, _ = decoder.ReadToken() // what was just seen
		if kind == jsontext.KindBeginObject {
			return append(appendMembers(append(dst, `{"M":`...), decoder), '}')
		}
		return append(appendElements(append(dst, `{"L":`...), decoder), '}')
	}
	value, err := decoder.ReadValue()
	switch {
	case err != nil || kind == jsontext.KindNull:
		return append(dst, `{"NULL":true}`...)
	case kind == jsontext.KindString:
		return append(append(append(dst, `{"S":`...), value...), '}')
	case kind == jsontext.KindNumber:
		return append(append(append(dst, `{"N":"`...), value...), `"}`...)
	}
	return append(append(append(dst, `{"BOOL":`...), value...), '}')
}

// appendElements writes the elements up to the end of the array that was begun.
func appendElements(dst []byte, decoder *jsontext.Decoder) []byte {
	dst = append(dst, '[')
	for first := true; decoder.PeekKind() != jsontext.KindEndArray && decoder.PeekKind() != jsontext.KindInvalid; first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = appendAttribute(dst, decoder)
	}
	_, _ = decoder.ReadToken() // the end
	return append(dst, ']')
}
