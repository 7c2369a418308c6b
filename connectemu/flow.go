package connectemu

import (
	"context"
	"encoding/json"
	"time"
)

// FlowFunction is the Lambda function that the block "AWS Lambda function" of a flow invokes: it takes the document of Amazon Connect and
// returns the function's answer, a flat JSON object of texts. Package connectemu/deliver has one that is behind a URL.
type FlowFunction func(ctx context.Context, document []byte) ([]byte, error)

// What a flow reports, in its parameter "ringonce": deploy/flows/ringonce-alert.json is the flow that the emulator runs.
const (
	// FlowCheckIn is the first block: somebody picked up. The answer says in "wanted" whether the message is played.
	FlowCheckIn = "check-in"
	// FlowPressed is a key, in "key": 1 confirms ("confirms": "yes"), 9 opts out ("opts_out": "yes"), another one does neither.
	FlowPressed = "pressed"
)

// FlowReport is one report of a flow and what the flow was told.
type FlowReport struct {
	At        time.Time `json:"at"`
	ContactID string    `json:"contactId"`
	// Report is FlowCheckIn or FlowPressed, and Key what was pressed.
	Report string `json:"report"`
	Key    string `json:"key,omitzero"`
	// Invocations is how often the function was invoked for it.
	Invocations int `json:"invocations"`
	// Answer is what the function said last; empty beside an Error, when the flow took its error branch.
	Answer map[string]string `json:"answer,omitzero"`
	Error  string            `json:"error,omitzero"`
	// Played says that the message was played after this check-in, and HungUp that the flow ended the contact instead.
	Played bool `json:"played,omitzero"`
	HungUp bool `json:"hungUp,omitzero"`
}

// The times of a flow: how long after the one before a key is pressed, and how long and how often the block tries (Administrator Guide, "Flow
// block: AWS Lambda function": up to three times, 8 seconds at most).
const (
	flowKeyTime  = 3 * time.Second
	flowPatience = 8 * time.Second
	flowTries    = 3
)

// FlowReports returns what flows reported and were told, in order.
func (s *Server) FlowReports() []FlowReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]FlowReport{}, s.flows.reports...)
}

// SetKeys decides which keys are pressed on the phone of a number from now on, one after the other once the message was played: 0 to 9, * and
// #. Empty means that none is. An error wraps [ErrConfig].
func (s *Server) SetKeys(number, keys string) error {
	if err := checkKeys(number, keys); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows.keys[number] = keys
	return nil
}

// flowDocument is what the block sends (Administrator Guide, "Grant Amazon Connect access to your AWS Lambda functions").
func flowDocument(cfg *Config, c Contact, parameters map[string]string) ([]byte, error) {
	endpoint := func(number string) any {
		if number == "" {
			return nil
		}
		return map[string]string{"Address": number, "Type": "TELEPHONE_NUMBER"}
	}
	attributes := c.Attributes
	if attributes == nil {
		attributes = map[string]string{}
	}
	return json.Marshal(map[string]any{
		"Name": "ContactFlowEvent",
		"Details": map[string]any{
			"ContactData": map[string]any{
				"Attributes": attributes, "AwsRegion": cfg.Region, "Channel": string(c.Channel), "ContactId": c.ID, "InitialContactId": c.ID,
				"PreviousContactId": c.ID, "InitiationMethod": "API", "InstanceARN": cfg.instanceARN(c.InstanceID), "CustomerEndpoint": endpoint(c.Number),
				"SystemEndpoint": endpoint(c.SourceNumber), "Queue": nil, "CustomerId": nil, "Description": nil, "Name": nil, "References": map[string]any{},
				"RelatedContactId": nil, "LanguageCode": "en-US", "MediaStreams": map[string]any{"Customer": map[string]any{"Audio": nil}},
			},
			"Parameters": parameters,
		},
	})
}
