package envelope

import (
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

// refuse settles a record with the refusal of the core's validation, in the core's own words.
func (c *chain) refuse(err error) {
	refusal, ok := errors.AsType[*call.Error](err)
	if !ok {
		c.reject(ReasonFieldValue, "")
		return
	}
	reason := Reason(refusal.Code)
	if _, known := advices[reason]; !known {
		reason = ReasonFieldValue
	}
	c.reject(reason, refusal.Field)
	if c.defect == nil && cleanField(refusal.Field) == refusal.Field {
		c.record.Message, c.record.Fix = refusal.Message, refusal.Fix
	}
}
