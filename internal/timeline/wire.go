package timeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/call"
)

// Wire is a request to Amazon Connect as it stands in the ledger, with what is personal replaced: numbers are masked, and of values that a
// producer chose the size is told.
type Wire struct {
	Operation  string      `json:"operation"`
	Region     string      `json:"region,omitempty"`
	Bytes      int         `json:"bytes"`  // of the body as it goes on the wire
	SHA256     string      `json:"sha256"` // of the body as it goes on the wire, in hexadecimal
	Body       string      `json:"body"`   // JSON, its members in the order of the wire
	Attributes []Attribute `json:"attributes"`
}

// Attribute is a contact attribute without its value.
type Attribute struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // of the value in UTF-8, after markup was escaped
}

// mostNamed bounds how many attributes a sentence names.
const mostNamed = 20

var operations = map[call.Kind]string{
	call.KindVoice: "StartOutboundVoiceContact", call.KindChat: "StartChatContact", call.KindTask: "StartTaskContact",
}

// readable lists the members whose texts are ids of the configuration or of ringonce.
var readable = []string{"/ContactFlowId", "/InstanceId", "/Name", "/QueueId", "/QuickConnectId", "/InitialMessage/ContentType"}

// WireOf returns the request that a call was pinned to. The client token is part of it when it is told. It is false where the ledger holds none:
// nothing was sent yet, or the recipient was forgotten.
func WireOf(c call.Call, token bool) (Wire, bool) {
	if c.Pin == "" {
		return Wire{}, false
	}
	w := Wire{
		Operation: operations[cmp.Or(c.Key.Kind, call.KindVoice)], Region: c.Target.Region, Bytes: len(c.Pin), SHA256: call.HashBody([]byte(c.Pin)),
		Attributes: []Attribute{},
	}
	body, err := w.read(c.Pin, token)
	if err != nil { // bytes that this program did not make
		return Wire{}, false
	}
	w.Body = body
	return w, true
}

// read copies a body token by token.
func (w *Wire) read(pin string, token bool) (string, error) {
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(strings.NewReader(pin)), jsontext.NewEncoder(&out)
	for {
		kind := from.PeekKind()
		next, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(out.String(), "\n"), nil
		}
		if err != nil {
			return "", err
		}
		parent, length := from.StackIndex(from.StackDepth())
		name := parent == '{' && length%2 == 1
		if kind == '"' && !name {
			next = jsontext.String(w.value(from.StackPointer(), next.String(), token))
		}
		if err := to.WriteToken(next); err != nil {
			return "", err
		}
	}
}

// value returns what stands for a text of the body.
func (w *Wire) value(at jsontext.Pointer, text string, token bool) string {
	switch parent, name := at.Parent(), at.LastToken(); {
	case parent == "/Attributes":
		w.Attributes = append(w.Attributes, Attribute{name, len(text)})
	case at == "/DestinationPhoneNumber", at == "/SourcePhoneNumber":
		if number, err := call.ParsePhone(text); err == nil {
			return number.String()
		}
	case slices.Contains(readable, string(at)), at == "/ClientToken" && token:
		return text
	}
	return "<" + size(len(text)) + ">"
}

// words says what a dial carries.
func (w Wire) words() string {
	text := "; " + size(w.Bytes) + " for Amazon Connect"
	if len(w.Attributes) == 0 {
		return text + ", no attributes"
	}
	var names []string
	for _, a := range w.Attributes[:min(len(w.Attributes), mostNamed)] {
		names = append(names, a.Name+" ("+size(a.Bytes)+")")
	}
	text += ", attributes " + strings.Join(names, ", ")
	if more := len(w.Attributes) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func size(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}
