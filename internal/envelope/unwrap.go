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
	envelope := c.recognize(&v)
	hint, wakes := isWake(value, &v)
	switch {
	case envelope != nil:
		c.ambiguous = v.payload
		envelope(&v)
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

// recognize returns what opens the envelope, or nil when the object is none. Every row asks for all members that the shape is
// documented with; the rows exclude each other, so their order carries no meaning.
func (c *chain) recognize(v *view) func(*view) {
	switch {
	case isEventBridge(v):
		return c.openEventBridge
	case isSNS(v):
		return c.openSNS
	case isLambdaRecord(v):
		return c.openLambdaRecord
	case v.get(keyRecords).isArray():
		return c.openRecords
	case isCustomBus(v):
		return c.openCustomBus
	case v.has(keySubscriberArn, keyFailedMessages):
		return c.refuseFailedMessages
	case isStateMachineContext(v):
		return c.openStateMachineContext
	case v.strings(keyAlarmName, keyNewStateValue, keyAlarmArn), v.get(keySource).is("aws.cloudwatch") && v.has(keyAlarmData):
		return c.ignorer("alarm-action", ReasonAlarm)
	case v.get(keyService).is("Amazon S3") && v.get(keyEvent).is("s3:TestEvent"):
		return c.ignorer("", ReasonS3TestEvent)
	case isFlowEvent(v):
		return c.takeCheckIn
	}
	return nil
}

func (c *chain) ignorer(name string, reason Reason) func(*view) {
	return func(*view) {
		if name != "" && len(c.record.Nesting) == 0 {
			c.enter(name)
		}
		c.ignore(reason)
	}
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
