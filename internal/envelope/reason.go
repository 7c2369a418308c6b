package envelope

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/ringonce/ringonce/internal/call"
)

// Reason says why a record is rejected or ignored. The names are those of the event corpus and are stable.
type Reason string

// The reasons of rejected records.
const (
	ReasonEmpty             Reason = "json_empty"
	ReasonBOM               Reason = "json_bom"
	ReasonDepth             Reason = "json_depth"
	ReasonDuplicateKey      Reason = "json_duplicate_key"
	ReasonInvalidUTF8       Reason = "json_invalid_utf8"
	ReasonSyntax            Reason = "json_syntax"
	ReasonTrailingData      Reason = "json_trailing_data"
	ReasonUnpairedSurrogate Reason = "json_unpaired_surrogate"
	ReasonFieldCase         Reason = "field_case"
	ReasonFieldMissing      Reason = "field_missing"
	ReasonFieldNull         Reason = "field_null"
	ReasonFieldType         Reason = "field_type"
	ReasonFieldValue        Reason = "field_value"
	ReasonAttributesLarge   Reason = "attributes_too_large"
	ReasonAmbiguous         Reason = "envelope_ambiguous"
	ReasonUnrecognized      Reason = "envelope_unrecognised"
	ReasonMapping           Reason = "mapping_failed"
	ReasonNestingTooDeep    Reason = "nesting_too_deep"
	ReasonDuplicateHeader   Reason = "http_duplicate_header"
	ReasonHTTPMethod        Reason = "http_method"
	ReasonIntegrity         Reason = "integrity_mismatch"
	ReasonPayloadMissing    Reason = "payload_missing"
	ReasonPayloadNotObject  Reason = "payload_not_object"
	ReasonPayloadOffloaded  Reason = "payload_offloaded"
	ReasonPayloadTruncated  Reason = "payload_truncated"
	ReasonUndecodable       Reason = "payload_undecodable"
	ReasonTooLarge          Reason = "too_large"
)

// The reasons of ignored records.
const (
	ReasonAlarm                   Reason = "alarm"
	ReasonConnectFlowEvent        Reason = "connect_flow_event" // Record.CheckIn holds it where the flow waits
	ReasonContactEvent            Reason = "contact_event"      // Record.Contact holds it
	ReasonNotInsert               Reason = "ddb_not_insert"
	ReasonEmptyBatch              Reason = "empty_batch"
	ReasonPreflight               Reason = "http_preflight"
	ReasonTombstone               Reason = "kafka_tombstone"
	ReasonLambdaSuccess           Reason = "lambda_success_record"
	ReasonOtherAWSEvent           Reason = "other_aws_event"
	ReasonS3TestEvent             Reason = "s3_test_event"
	ReasonSchedulerDefault        Reason = "scheduler_default"
	ReasonSubscriptionConfirm     Reason = "subscription_confirmation"
	ReasonUnsubscribeConfirmation Reason = "unsubscribe_confirmation"
	// ReasonSweep is the trigger of a sweep: a direct invocation with exactly {"ringonce":"sweep"}, or an EventBridge event
	// with that detail. It is honored nowhere else, so that nobody who may only send a message can trigger it (Record.IsSweep). In a
	// record of a failed delivery it is ignored: the next one does its work.
	ReasonSweep Reason = "sweep"
	// ReasonWake is a hint that one call may be due: Record.Wake holds it. It is honored as the body of a queue's message and as the
	// document itself. Whoever may send one can make the sweep look at a row, which it would do anyway. In a record of a failed delivery
	// it is ignored, without Record.Wake.
	ReasonWake Reason = "wake"
)

// advice is what a person is told about a reason: one sentence, with {field} for the member at fault, and the next step.
type advice struct{ message, fix string }

var advices = map[Reason]advice{
	ReasonEmpty:             {"The payload is empty.", "Send the request as one JSON object."},
	ReasonBOM:               {"The payload begins with a byte order mark.", "Write it as UTF-8 without a byte order mark."},
	ReasonDepth:             {"The JSON text is nested deeper than 200 levels.", "Remove the deep member; a request needs two levels."},
	ReasonDuplicateKey:      {"The JSON text has the name {field} twice.", "Send every name once; readers disagree on which one counts."},
	ReasonInvalidUTF8:       {"The payload is not valid UTF-8.", "Encode it as UTF-8."},
	ReasonSyntax:            {"The payload is not JSON.", "Send one JSON object, not compressed, not encoded and not cut."},
	ReasonTrailingData:      {"Something follows the JSON value of the payload.", "Send one request per message and nothing after it."},
	ReasonUnpairedSurrogate: {"The payload holds half of a surrogate pair as an escape.", "Do not cut strings inside a character."},
	ReasonFieldCase:         {"The field {field} is present in another case of its letters.", "Write the name exactly as the schema does."},
	ReasonFieldMissing:      {"The field {field} is missing.", "Every request needs notificationId, recipientId and destinationPhoneNumber."},
	ReasonFieldNull:         {"The field {field} is null.", "Send a value; null stands for an absent member, and this one is required."},
	ReasonFieldType:         {"The field {field} has the wrong type.", "Send a string (urgent is true or false); ids and phone numbers lose digits as JSON numbers."},
	ReasonFieldValue:        {"The field {field} holds a value that is not allowed.", "Compare it with schema/call-request.schema.json."},
	ReasonAttributesLarge:   {"The field attributes is larger than Amazon Connect takes.", "Send an id and let the flow look the rest up."},
	ReasonAmbiguous:         {"The object is an envelope and a payload at once.", "Keep the members of the request inside the envelope only."},
	ReasonUnrecognized:      {"The object is no known envelope and has no member of a request.", "Send the request itself, or configure where it is."},
	ReasonMapping:           {"The mapping of {field} fails on this payload.", "Correct the mapping, or the producer."},
	ReasonNestingTooDeep:    {"There are more envelopes around the payload than any documented chain has.", "Look for a topic or queue that feeds itself."},
	ReasonDuplicateHeader:   {"The header {field} was sent with two values.", "Send it once."},
	ReasonHTTPMethod:        {"The HTTP method is not POST.", "Send the request as the body of a POST."},
	ReasonIntegrity:         {"The body does not match its md5OfBody.", "Use the record as the queue delivered it."},
	ReasonPayloadMissing:    {"The envelope holds no payload.", "Read the request from where it came from and send it again."},
	ReasonPayloadNotObject:  {"The payload is not a JSON object.", "Send the request as a JSON object, encoded once."},
	ReasonPayloadOffloaded:  {"The payload is a pointer to an S3 object.", "Send the request itself; it fits in a message."},
	ReasonPayloadTruncated:  {"EventBridge Scheduler cut the payload.", "Send the request again; a cut payload is never acted on."},
	ReasonUndecodable:       {"The payload cannot be decoded.", "Check base64 and gzip, and that the inflated size is small."},
	ReasonTooLarge:          {"The document, or one object in it, is larger than any event source sends.", "Split it."},

	ReasonAlarm:                   {"This is a CloudWatch alarm, not a request.", "Nothing, or narrow what feeds this function."},
	ReasonConnectFlowEvent:        {"This is what a contact flow reports, not a request.", "Let the flow invoke the function itself (docs/flow.md); nobody waits for an answer out of a queue."},
	ReasonContactEvent:            {"This is a contact event, not a request.", "Nothing: it tells how a call went."},
	ReasonNotInsert:               {"This is a change of an item, and only inserted items are requests.", "Nothing."},
	ReasonEmptyBatch:              {"The batch is empty.", "Nothing."},
	ReasonPreflight:               {"This is a CORS preflight, not a request.", "Nothing."},
	ReasonTombstone:               {"This is a Kafka tombstone, not a request.", "Nothing."},
	ReasonLambdaSuccess:           {"This is the record of an invocation that succeeded; its request was handled.", "Remove the on-success destination."},
	ReasonOtherAWSEvent:           {"This is an event of an AWS service, not a request.", "Narrow the rule that feeds this function."},
	ReasonS3TestEvent:             {"This is a test event of Amazon S3, not a request.", "Nothing."},
	ReasonSchedulerDefault:        {"This is a schedule without an input.", "Give the schedule the request as its input."},
	ReasonSubscriptionConfirm:     {"This is an SNS subscription confirmation, not a request.", "Confirm the subscription by hand if it is yours."},
	ReasonUnsubscribeConfirmation: {"This is an SNS unsubscribe confirmation, not a request.", "Nothing, if the subscription was removed on purpose."},
	ReasonSweep:                   {"This triggers a sweep.", "Nothing."},
	ReasonWake:                    {"This is a hint that a call may be due.", "Nothing: whether it is due the ledger says."},
}

// valueFixes are the next steps for a value that is not allowed, by the last name of the field; for others it is that of the reason.
var valueFixes = map[string]string{
	"notificationId":         idFix,
	"recipientId":            idFix,
	"recallId":               idFix,
	"profile":                idFix,
	"clientToken":            "Send a text of at most " + strconv.Itoa(maxClientTokenRunes) + " characters that is not blank, with its placeholders (<name>) filled in.",
	"destinationPhoneNumber": "Write the number in E.164 form, + and the country first, such as +12025550100.",
	"notAfter":               "Write the time in RFC 3339 form with its zone, such as 2026-12-01T09:00:00Z.",
	"timeZone":               "Write the IANA name, such as Asia/Tokyo.",
	"action":                 "Use call, cancel or acknowledge.",
	"escalation":             "Name at most " + strconv.Itoa(call.MaxEscalation) + " recipients.",
}

const idFix = "Send a text that is not blank, with its placeholders (<name>) filled in."

// advise returns the sentence and the next step for a reason. The field is printable and masked before it gets here.
func advise(reason Reason, field string) (message, fix string) {
	a := advices[reason]
	if known := valueFixes[field[strings.LastIndexByte(field, '.')+1:]]; reason == ReasonFieldValue && known != "" {
		a.fix = known
	}
	if field == "" {
		field = "of a member"
	}
	return strings.ReplaceAll(a.message, "{field}", field), a.fix
}

const maxFieldRunes = 64

// cleanField makes a member name of the input fit for errors and logs: printable, short, and without the digits of a phone
// number, because a name in a document can be anything.
func cleanField(field string) string {
	digits, plain := 0, true
	for i, r := range field {
		if unicode.IsDigit(r) {
			digits++
		}
		plain = plain && unicode.IsPrint(r) && i < maxFieldRunes
	}
	const phoneDigits = 7 // fewer digits reach nobody
	if plain && digits < phoneDigits {
		return field
	}
	var b strings.Builder
	runes := 0
	for _, r := range field {
		if runes++; runes > maxFieldRunes {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsDigit(r) && digits >= phoneDigits:
			b.WriteByte('*')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteRune('\uFFFD')
		}
	}
	return b.String()
}
