package envelope

import "bytes"

// key is a member name that envelopes are recognized by or read from.
type key int

// The names, grouped by the envelope that needs them first.
const (
	keyRecords key = iota
	keyKafkaRecords
	keyEventSource
	keyEventSourceArn
	keySNSEventSource
	keySNS
	keyVersion // EventBridge
	keyID
	keyDetailType
	keySource
	keyAccount
	keyTime
	keyRegion
	keyResources
	keyDetail
	keyReplayName
	keyTimestamp // Lambda invocation record
	keyRequestContext
	keyRequestPayload
	keyKinesisBatchInfo
	keyDDBStreamBatchInfo
	keyData // custom event bus
	keySystemMetadata
	keySubscriberArn
	keyFailedMessages
	keyType // SNS
	keyMessageID
	keyTopicArn
	keyMessage
	keySNSTimestamp
	keyMessageAttributes
	keyExecution // Step Functions
	keyState
	keyStateMachine
	keyAlarmName // not requests
	keyNewStateValue
	keyAlarmArn
	keyAlarmData
	keyService
	keyEvent
	keyName
	keyDetails
	keyHTTPMethod // HTTP
	keyHeaders
	keyMultiValueHeaders
	keyBody
	keyIsBase64Encoded
	keyRingonce // trigger of this program
	keyCount
)

var keyNames = [keyCount]string{
	"Records", "records", "eventSource", "eventSourceArn", "EventSource", "Sns",
	"version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail", "replay-name",
	"timestamp", "requestContext", "requestPayload", "KinesisBatchInfo", "DDBStreamBatchInfo",
	"Data", "SystemMetadata", "subscriberArn", "failedMessages",
	"Type", "MessageId", "TopicArn", "Message", "Timestamp", "MessageAttributes",
	"Execution", "State", "StateMachine",
	"AlarmName", "NewStateValue", "AlarmArn", "alarmData", "Service", "Event", "Name", "Details",
	"httpMethod", "headers", "multiValueHeaders", "body", "isBase64Encoded",
	"ringonce",
}

var keyOf = func() map[string]key {
	m := make(map[string]key, keyCount)
	for k, name := range keyNames {
		m[name] = key(k)
	}
	return m
}()

// view is one look at the members of an object: the values an envelope can be recognized by, whether a member has the name of
// a payload member, and how many members there are.
type view struct {
	object  raw
	values  [keyCount]span // zero where the member is absent: a value never begins its object
	payload bool
	members int
}

// span is where a value lies in its object. It takes a third of a slice, and a view is made for each request.
type span struct{ from, to int32 }

// look fills the view in one pass over the object, without copying a value.
func (v *view) look(object raw) {
	v.object = object
	for name, value := range object.members() {
		v.members++
		if k, ok := keyOf[string(name)]; ok {
			from := cap(object) - cap(value)                          // members cuts values out of the object and leaves their capacity
			v.values[k] = span{int32(from), int32(from + len(value))} //nolint:gosec // documents are bounded far below 2 GiB
		} else if !v.payload {
			v.payload = payloadName(name)
		}
	}
}

func (v *view) get(k key) raw {
	at := v.values[k]
	if at.to == 0 {
		return nil
	}
	return v.object[at.from:at.to]
}

// has reports whether all the members are present and not null.
func (v *view) has(keys ...key) bool {
	for _, k := range keys {
		if value := v.get(k); len(value) == 0 || value.isNull() {
			return false
		}
	}
	return true
}

// strings reports whether all the members are present and strings.
func (v *view) strings(keys ...key) bool {
	for _, k := range keys {
		if !v.get(k).isString() {
			return false
		}
	}
	return true
}

// payloadName reports whether a name marks an object as a payload, in any case of its letters: a payload with misspelled names
// is refused for the names, not as an unknown envelope.
func payloadName(name []byte) bool {
	for _, known := range payloadMarks {
		if bytes.EqualFold(name, known) {
			return true
		}
	}
	return false
}
