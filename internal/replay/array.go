package replay

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/envelope"
)

// array visits the elements of a JSON array as documents, unless the array itself is a document: the batch of a pipe or of a custom event
// bus, as its first element says.
func array(name string, head []byte, whole bool, r io.Reader, visit func(Document) error) error {
	limited := &bounded{Reader: r, left: elementLimit}
	decoder := jsontext.NewDecoder(limited, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	index := 0
	for ; decoder.PeekKind() != ']'; index++ {
		at := Document{Name: name + "[" + strconv.Itoa(index) + "]"}
		limited.left = elementLimit
		value, err := decoder.ReadValue()
		switch {
		case errors.Is(err, errBound):
			at.Problem = problemTooLarge
			return visit(at)
		case err != nil:
			at.Problem = problemBrokenList
			return visit(at)
		case index == 0 && isBatch(value):
			return visit(batch(name, head, whole))
		}
		if at.Content = bytes.Clone(value); len(value) > envelope.MaxDocumentBytes {
			at.Content, at.Problem = nil, problemTooLarge
		}
		if err := visit(at); err != nil {
			return err
		}
	}
	if index == 0 {
		return visit(batch(name, head, whole))
	}
	return trailing(name, decoder, visit)
}

// batch is an array that is one document.
func batch(name string, head []byte, whole bool) Document {
	if !whole {
		return Document{Name: name, Problem: problemTooLarge}
	}
	return Document{Name: name, Content: head}
}

// trailing reads the end of an array and looks behind it.
func trailing(name string, decoder *jsontext.Decoder, visit func(Document) error) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return visit(Document{Name: name, Problem: problemTrailing})
	}
	return nil
}

// isBatch reports whether an array that begins with this element is one document.
func isBatch(first []byte) bool {
	doc := envelope.Decode(slices.Concat([]byte("["), first, []byte("]")), envelope.Options{})
	switch doc.Style {
	case envelope.StylePipesSQS, envelope.StylePipesKinesis, envelope.StylePipesDynamoDB:
		return true
	case envelope.StyleCustomBus: // the style of every array that no pipe made, so the element itself is asked
		return envelope.Decode(first, envelope.Options{}).Style == envelope.StyleCustomBus
	case envelope.StyleNone: // pipes from Kafka have no partial answer
		return len(doc.Records) > 0 && slices.Contains(doc.Records[0].Nesting, "pipes-kafka")
	case envelope.StyleSQS, envelope.StyleSQSFIFO, envelope.StyleStream, envelope.StyleKafka:
	}
	return false
}

// elementLimit bounds what is read for one element: a document, and what a decoder reads ahead.
const elementLimit = envelope.MaxDocumentBytes + 1<<20

var errBound = errors.New("an element is too large")

// bounded is a reader that fails after so many bytes.
type bounded struct {
	io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBound
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
