package envelope

import "bytes"

// open counts one more envelope and reports whether it may still be opened.
func (c *chain) open(name string) bool {
	if c.unwraps >= c.maxUnwraps {
		// Inner ids and stamps of such a chain are not worth keeping: it feeds itself.
		c.record.Identity.All = c.record.Identity.All[:c.outer.ids]
		c.age, c.eventID = c.outer.age, ""
		c.at = c.at[:0]
		c.reject(ReasonNestingTooDeep, "")
		return false
	}
	c.unwraps++
	c.wakeable = false
	c.enter(name)
	return true
}

// openText opens a string member that holds a JSON text and resolves what is in it.
func (c *chain) openText(step string, content []byte) {
	if c.ambiguous {
		c.reject(ReasonAmbiguous, "")
		return
	}
	c.point(step)
	if value, ok := c.text(content); ok {
		c.resolve(value)
	}
}

// openValue resolves a member of the same text.
func (c *chain) openValue(step string, value raw) {
	if c.ambiguous {
		c.reject(ReasonAmbiguous, "")
		return
	}
	c.point(step)
	c.resolve(value)
}

// resolve applies table B of facts/event-envelopes.md section 1: open what is known by its full set of members, read what is a
// payload, and refuse the rest.
func (c *chain) resolve(value raw) {
	if !value.isObject() {
		c.rejectNonObject(value)
		return
	}
	if c.whole == nil {
		c.whole = value
	}
	var v view
	v.look(value)
	known := recognize(&v)
	hint, wakes := isWake(value, &v)
	switch {
	case known != shapeNone:
		c.ambiguous = v.payload
		c.openShape(known, &v)
	case (c.sweepable || c.spent) && v.members == 1 && v.get(keyRingonce).is("sweep"):
		if c.bare {
			c.enter("direct")
		}
		c.ignore(ReasonSweep)
		c.record.trigger = c.sweepable && c.record.Reason == ReasonSweep
	case (c.wakeable || c.spent) && wakes:
		if c.bare {
			c.enter("direct")
		}
		c.ignore(ReasonWake)
		if c.wakeable && c.record.Reason == ReasonWake {
			c.record.Wake = &hint
		}
	case c.mapping() != nil:
		if c.bare {
			c.enter("direct")
		}
		c.readMapped(value, c.mapping())
	case v.payload:
		if c.bare {
			c.enter("direct")
		}
		c.readPayload(value)
	default:
		if c.bare {
			c.enter("direct")
		}
		c.reject(ReasonUnrecognized, "")
	}
}

// shape is what an object was recognized as: an envelope that is opened, or something that is known to be no request.
type shape int

const (
	shapeNone shape = iota
	shapeEventBridge
	shapeSNS
	shapeLambdaRecord
	shapeRecords
	shapeCustomBus
	shapeFailedMessages
	shapeStateMachineContext
	shapeAlarm
	shapeS3Test
	shapeFlow
)

// recognize returns the shape of an object, or none. Every row asks for all members that the shape is documented with; the rows
// exclude each other, so their order carries no meaning.
func recognize(v *view) shape {
	switch {
	case isEventBridge(v):
		return shapeEventBridge
	case isSNS(v):
		return shapeSNS
	case isLambdaRecord(v):
		return shapeLambdaRecord
	case v.get(keyRecords).isArray():
		return shapeRecords
	case isCustomBus(v):
		return shapeCustomBus
	case v.has(keySubscriberArn, keyFailedMessages):
		return shapeFailedMessages
	case isStateMachineContext(v):
		return shapeStateMachineContext
	case v.strings(keyAlarmName, keyNewStateValue, keyAlarmArn), v.get(keySource).is("aws.cloudwatch") && v.has(keyAlarmData):
		return shapeAlarm
	case v.get(keyService).is("Amazon S3") && v.get(keyEvent).is("s3:TestEvent"):
		return shapeS3Test
	case isFlowEvent(v):
		return shapeFlow
	}
	return shapeNone
}

// openShape opens what was recognized. It names its methods one by one, so that a view is not moved to the heap for them.
func (c *chain) openShape(s shape, v *view) {
	switch s {
	case shapeNone:
	case shapeEventBridge:
		c.openEventBridge(v)
	case shapeSNS:
		c.openSNS(v)
	case shapeLambdaRecord:
		c.openLambdaRecord(v)
	case shapeRecords:
		c.openRecords(v)
	case shapeCustomBus:
		c.openCustomBus(v)
	case shapeFailedMessages:
		c.refuseFailedMessages(v)
	case shapeStateMachineContext:
		c.openStateMachineContext(v)
	case shapeAlarm:
		c.ignoreAs("alarm-action", ReasonAlarm)
	case shapeS3Test:
		c.ignoreAs("", ReasonS3TestEvent)
	case shapeFlow:
		c.takeCheckIn(v)
	}
}

func (c *chain) ignoreAs(name string, reason Reason) {
	if name != "" && len(c.record.Nesting) == 0 {
		c.enter(name)
	}
	c.ignore(reason)
}

// rejectNonObject refuses a value that can be no request. An S3 pointer of the SQS extended client has a name of its own.
func (c *chain) rejectNonObject(value raw) {
	if c.bare {
		c.enter("direct")
	}
	if value.isArray() && bytes.HasSuffix(value.first().bytes(), []byte("PayloadS3Pointer")) {
		c.reject(ReasonPayloadOffloaded, "")
		return
	}
	c.reject(ReasonPayloadNotObject, "")
}
