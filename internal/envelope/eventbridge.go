package envelope

import (
	"bytes"

	"github.com/ringonce/ringonce/internal/call"
)

func isEventBridge(v *view) bool {
	return v.get(keyVersion).is("0") && v.get(keyResources).isArray() && len(v.get(keyDetail)) > 0 &&
		v.strings(keyID, keyDetailType, keySource, keyAccount, keyTime, keyRegion)
}

// openEventBridge reads an event in the envelope of EventBridge. Events of AWS services are recognized and ignored; a Lambda
// destination (source "lambda") carries an invocation record as its detail.
func (c *chain) openEventBridge(v *view) {
	top := len(c.record.Nesting) == 0
	if !c.open("eventbridge") {
		return
	}
	c.bare = false
	c.sweepable = c.sweepable && top
	c.eventID = v.get(keyID).text()
	c.id("eventbridge.id", c.eventID)
	at, ok := parseTime(v.get(keyTime).text())
	c.stamp(at, ok, call.TierMessage, "eventbridge.time")
	if name := v.get(keyReplayName); name.isString() {
		c.attempted(flagEventBridgeReplay)
		c.replay = name.text()
	}
	if reason := serviceEvent(v); reason != "" {
		if reason == ReasonContactEvent {
			c.record.Contact = readContactEvent(v.get(keyDetail))
		}
		c.ignore(reason)
		return
	}
	c.openValue("/detail", v.get(keyDetail))
}

// serviceEvent names the reason to ignore an event of an AWS service, or returns "" for an event of a producer.
func serviceEvent(v *view) Reason {
	source := v.get(keySource).bytes()
	switch {
	case !bytes.HasPrefix(source, []byte("aws.")):
		return ""
	case string(source) == "aws.connect" && v.get(keyDetailType).is("Amazon Connect Contact Event"):
		return ReasonContactEvent
	case string(source) == "aws.scheduler" && v.get(keyDetail).is("{}"):
		return ReasonSchedulerDefault
	case string(source) == "aws.cloudwatch":
		return ReasonAlarm
	}
	return ReasonOtherAWSEvent
}
