package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// isLambdaRecord recognizes the record of an asynchronous invocation, as destinations of Lambda functions receive it.
func isLambdaRecord(v *view) bool {
	context := v.get(keyRequestContext)
	return v.get(keyVersion).is("1.0") && v.strings(keyTimestamp) && context.isObject() &&
		context.member("requestId").isString() && context.member("functionArn").isString() && context.member("condition").isString()
}

// openLambdaRecord reads an invocation record. The record of a success must be ignored, or the call is placed twice.
func (c *chain) openLambdaRecord(v *view) {
	if !c.open("lambda-record") {
		return
	}
	c.bare, c.sweepable = true, false
	context := v.get(keyRequestContext)
	c.id("lambda.requestId", context.member("requestId").text())
	at, ok := parseTime(v.get(keyTimestamp).text())
	c.stamp(at, ok, call.TierHop, "lambdaRecord.timestamp")
	if strings.EqualFold(context.member("condition").text(), "Success") {
		c.ignore(ReasonLambdaSuccess)
		return
	}
	c.attempted(flagLambdaFailure)
	c.spent = true
	switch payload := v.get(keyRequestPayload); {
	case v.has(keyKinesisBatchInfo), v.has(keyDDBStreamBatchInfo):
		// Stream sources keep the records in the stream and name only where.
		c.at = c.at[:0]
		c.reject(ReasonPayloadMissing, "")
	case len(payload) == 0 || payload.isNull():
		c.point("/requestPayload")
		c.reject(ReasonPayloadMissing, "")
	default:
		c.openValue("/requestPayload", payload)
	}
}

// isStateMachineContext recognizes the context object of Step Functions, passed on purpose.
func isStateMachineContext(v *view) bool {
	execution := v.get(keyExecution)
	return execution.member("Id").isString() && execution.member("StartTime").isString() && v.has(keyState, keyStateMachine)
}

func (c *chain) openStateMachineContext(v *view) {
	if !c.open("stepfunctions-context") {
		return
	}
	c.bare, c.sweepable = true, false
	execution := v.get(keyExecution)
	c.id("stepfunctions.execution", execution.member("Id").text())
	at, ok := parseTime(execution.member("StartTime").text())
	c.stamp(at, ok, call.TierMessage, "stepfunctions.StartTime")
	input := execution.member("Input")
	if len(input) == 0 || input.isNull() {
		c.reject(ReasonPayloadMissing, "Execution.Input")
		return
	}
	c.openValue("/Execution/Input", input)
}
