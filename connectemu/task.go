package connectemu

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// taskRequest are the members of StartTaskContact that no other start has.
type taskRequest struct {
	HasName           bool
	QuickConnectID    string
	TaskTemplateID    string
	PreviousContactID string
	ScheduledTime     *float64
	Attachments       []struct{ FileName, S3Url string }
	Segments          any
	ExpiryMinutes     int
}

// The documented limits of StartTaskContact.
const (
	maxScheduled   = 6 * 24 * time.Hour
	maxAttachments = 5
	maxChain       = 12
)

// parseTask reads a body of StartTaskContact.
func parseTask(body []byte) (*startRequest, error) {
	req := startRequest{op: OpStartTask, task: &taskRequest{}}
	t := req.task
	var name *string
	var segments map[string]json.RawMessage
	err := decodeExact(body, map[string]any{
		"InstanceId": &req.InstanceID, "ContactFlowId": &req.ContactFlowID, "ClientToken": &req.ClientToken, "Attributes": &req.Attributes,
		"Name": &name, "Description": &req.Description, "References": &req.References, "RelatedContactId": &req.RelatedContactID,
		"PreviousContactId": &t.PreviousContactID, "QuickConnectId": &t.QuickConnectID, "TaskTemplateId": &t.TaskTemplateID,
		"ScheduledTime": &t.ScheduledTime, "Attachments": &t.Attachments, "SegmentAttributes": &segments,
	})
	if name != nil {
		req.Name, t.HasName = *name, true
	}
	if err == nil && segments != nil {
		err = t.readSegments(segments)
	}
	return &req, err
}

// readSegments keeps the segment attributes for comparison and reads connect:ContactExpiry, which ends the task.
func (t *taskRequest) readSegments(segments map[string]json.RawMessage) error {
	kept := make(map[string]any, len(segments))
	for name, raw := range segments {
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return fmt.Errorf("member SegmentAttributes: %w", err)
		}
		kept[name] = value
	}
	t.Segments = kept
	raw, ok := segments["connect:ContactExpiry"]
	if !ok {
		return nil
	}
	var expiry struct {
		ValueMap map[string]struct{ ValueInteger int }
	}
	if err := json.Unmarshal(raw, &expiry); err != nil {
		return fmt.Errorf("member SegmentAttributes: %w", err)
	}
	t.ExpiryMinutes = expiry.ValueMap["ExpiryDuration"].ValueInteger
	return nil
}

// checkTask applies the documented limits of StartTaskContact, without looking at what exists.
func (r *startRequest) checkTask(now time.Time) *apiError {
	t := r.task
	switch {
	case r.InstanceID == "":
		return refuse(CodeInvalidRequest, "InstanceId is required.")
	case !t.HasName:
		return refuse(CodeInvalidRequest, "Name is required.")
	case !isGUID(r.InstanceID):
		return badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case r.ContactFlowID != "" && !isGUID(r.ContactFlowID):
		return badParameter("ContactFlowId", "must be the identifier in the last part of the flow ARN.")
	case t.flows(r) != 1:
		return refuse(CodeInvalidRequest, "Exactly one of ContactFlowId, QuickConnectId and TaskTemplateId must be given.")
	case tooLong(t.TaskTemplateID, 500):
		return badParameter("TaskTemplateId", "must have 1 to 500 characters.")
	case len(t.Attachments) > maxAttachments:
		return badParameter("Attachments", "must have at most 5 elements.")
	case t.ExpiryMinutes < 0:
		return badParameter("SegmentAttributes", "has an ExpiryDuration that is negative.")
	}
	return firstError(
		r.checkLengths, func() *apiError { return checkAttributes(r.Attributes) }, r.checkReferences, func() *apiError { return t.checkSchedule(now) },
	)
}

// flows returns how many ways to a flow the request gives.
func (t *taskRequest) flows(r *startRequest) int {
	n := 0
	for _, id := range []string{r.ContactFlowID, t.QuickConnectID, t.TaskTemplateID} {
		if id != "" {
			n++
		}
	}
	return n
}

func (t *taskRequest) checkSchedule(now time.Time) *apiError {
	if t.ScheduledTime == nil {
		return nil
	}
	if math.Abs(*t.ScheduledTime) > math.MaxInt32*2 {
		return badParameter("ScheduledTime", "is no time of this century.")
	}
	switch at := fromEpoch(*t.ScheduledTime); {
	case at.Before(now):
		return badParameter("ScheduledTime", "cannot be in the past.")
	case at.After(now.Add(maxScheduled)):
		return badParameter("ScheduledTime", "must be within 6 days.")
	}
	return nil
}

// previousContact returns the contact that a task follows; empty when it follows none.
func (r *startRequest) previousContact() string {
	if r.task == nil {
		return ""
	}
	return r.task.PreviousContactID
}

// checkChainLocked refuses the task after the twelfth that names one previous contact.
func (s *Server) checkChainLocked(previous string) *apiError {
	n := 0
	for _, c := range s.order {
		if c.request.previousContact() == previous {
			n++
		}
	}
	if n >= maxChain {
		return refuse(CodeServiceQuotaExceeded, "There are already 12 tasks that follow the previous contact.")
	}
	return nil
}
