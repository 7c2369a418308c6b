package connectemu

import (
	"encoding/json"
	"fmt"
	"time"
)

// startRequest is the body of StartOutboundVoiceContact. Absent strings are empty: the API treats both alike where it matters here.
type startRequest struct {
	DestinationPhoneNumber string
	ContactFlowID          string
	InstanceID             string
	ClientToken            string
	SourcePhoneNumber      string
	QueueID                string
	Name                   string
	Description            string
	RelatedContactID       string
	CampaignID             string
	TrafficType            string
	RingTimeoutInSeconds   *int
	Attributes             map[string]string
	References             map[string]reference
	MachineDetection       *machineDetection
	HasOutboundStrategy    bool

	op   Operation    // empty is StartOutboundVoiceContact
	chat *chatRequest // of StartChatContact
	task *taskRequest // of StartTaskContact
}

// reference is one value of the member References.
type reference struct {
	Value        string
	Type         string
	Status       string
	Arn          string
	StatusReason string
}

// machineDetection is the member AnswerMachineDetectionConfig.
type machineDetection struct {
	EnableAnswerMachineDetection bool
	AwaitAnswerMachinePrompt     bool
}

// ringTimeout is how long the phone rings at most.
func (r *startRequest) ringTimeout() time.Duration {
	if r.RingTimeoutInSeconds == nil {
		return maxRing
	}
	return time.Duration(*r.RingTimeoutInSeconds) * time.Second
}

// parseStart reads a body. Member names are matched exactly and unknown members are ignored, as the service does.
func parseStart(body []byte) (*startRequest, error) {
	var req startRequest
	var strategy json.RawMessage
	err := decodeExact(body, map[string]any{
		"DestinationPhoneNumber":       &req.DestinationPhoneNumber,
		"ContactFlowId":                &req.ContactFlowID,
		"InstanceId":                   &req.InstanceID,
		"ClientToken":                  &req.ClientToken,
		"SourcePhoneNumber":            &req.SourcePhoneNumber,
		"QueueId":                      &req.QueueID,
		"Name":                         &req.Name,
		"Description":                  &req.Description,
		"RelatedContactId":             &req.RelatedContactID,
		"CampaignId":                   &req.CampaignID,
		"TrafficType":                  &req.TrafficType,
		"RingTimeoutInSeconds":         &req.RingTimeoutInSeconds,
		"Attributes":                   &req.Attributes,
		"References":                   &req.References,
		"AnswerMachineDetectionConfig": &req.MachineDetection,
		"OutboundStrategy":             &strategy,
	})
	req.HasOutboundStrategy = strategy != nil
	return &req, err
}

// decodeExact reads the members of a JSON object into targets, by exact name; members without a target are ignored.
// encoding/json alone would accept names in any case.
func decodeExact(body []byte, targets map[string]any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return fmt.Errorf("body is not a JSON object: %w", err)
	}
	for name, raw := range members {
		target, ok := targets[name]
		if !ok || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, target); err != nil {
			return fmt.Errorf("member %s: %w", name, err)
		}
	}
	return nil
}
