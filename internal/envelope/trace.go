package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// maxTraceHeader bounds what is looked at. Producers write what they like here; a trace is a help and never a reason to refuse.
const maxTraceHeader = 512

// Traceparent reads the header traceparent of W3C Trace Context (section 3.2: version-traceid-parentid-flags in lower-case hex). What is not one
// yields no trace.
func Traceparent(text string) call.Trace {
	const length = 2 + 1 + 32 + 1 + 16 + 1 + 2
	if len(text) < length || len(text) > maxTraceHeader || (len(text) > length && (text[:2] == "00" || text[length] != '-')) {
		return call.Trace{}
	}
	version, id, parent, flags := text[:2], text[3:35], text[36:52], text[53:55]
	if text[2] != '-' || text[35] != '-' || text[52] != '-' || version == "ff" || !isHex(version) || !isHex(flags) || !isID(id) || !isID(parent) {
		return call.Trace{}
	}
	sampled := "0"
	if strings.IndexByte("13579bdf", flags[1]) >= 0 {
		sampled = "1"
	}
	return call.Trace{ID: id, Parent: parent, Sampled: sampled}
}

// XRayHeader reads the tracing header of AWS X-Ray, Root=1-...;Parent=...;Sampled=... (AWS X-Ray Developer Guide, "Tracing header"). Fields that
// are not known are passed over; without a root there is no trace.
func XRayHeader(text string) (t call.Trace) {
	if len(text) > maxTraceHeader {
		return call.Trace{}
	}
	for field := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch {
		case name == "Root" && len(value) == 35 && strings.HasPrefix(value, "1-") && value[10] == '-' && isID(value[2:10]+value[11:]):
			t.ID, t.Root = value[2:10]+value[11:], true
		case name == "Parent" && len(value) == 16 && isID(value):
			t.Parent = value
		case name == "Sampled" && (value == "0" || value == "1"):
			t.Sampled = value
		}
	}
	if t.IsZero() {
		return call.Trace{}
	}
	return t
}

func isHex(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// isID reports hex digits that are not all zero, which both forms reserve for "none".
func isID(text string) bool { return isHex(text) && strings.Trim(text, "0") != "" }

// traceparentName is the message attribute by which producers pass a W3C trace on (AWS Distro for OpenTelemetry and others write it so).
const traceparentName = "traceparent"

// follow notes the trace of the record. What a producer wrote itself is nearer to it than what a service added on the way; of two the outer wins.
func (c *chain) follow(t call.Trace) {
	if known := c.record.Trace; known.IsZero() || (known.Root && !t.IsZero() && !t.Root) {
		c.record.Trace = t
	}
}
