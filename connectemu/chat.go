package connectemu

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// chatRequest are the members of StartChatContact that no other start has.
type chatRequest struct {
	Participant       *participant
	InitialMessage    *chatMessage
	DurationInMinutes *int
	ContentTypes      []string
	Persistent        *persistentChat
	CustomerID        string
	DisconnectOnExit  []string
	ParticipantConfig any
	Segments          any
}

// participant is the member ParticipantDetails.
type participant struct{ DisplayName string }

// chatMessage is the member InitialMessage.
type chatMessage struct{ ContentType, Content string }

// persistentChat is the member PersistentChat.
type persistentChat struct{ RehydrationType, SourceContactID string }

// parseChat reads a body of StartChatContact.
func parseChat(body []byte) (*startRequest, error) {
	req := startRequest{op: OpStartChat, chat: &chatRequest{}}
	c := req.chat
	var details, message, persistent json.RawMessage
	err := decodeExact(body, map[string]any{
		"InstanceId": &req.InstanceID, "ContactFlowId": &req.ContactFlowID, "ClientToken": &req.ClientToken, "Attributes": &req.Attributes,
		"RelatedContactId": &req.RelatedContactID, "ParticipantDetails": &details, "InitialMessage": &message, "PersistentChat": &persistent,
		"ChatDurationInMinutes": &c.DurationInMinutes, "SupportedMessagingContentTypes": &c.ContentTypes, "CustomerId": &c.CustomerID,
		"DisconnectOnCustomerExit": &c.DisconnectOnExit, "ParticipantConfiguration": &c.ParticipantConfig, "SegmentAttributes": &c.Segments,
	})
	if err != nil {
		return &req, err
	}
	if details != nil {
		c.Participant = &participant{}
		err = decodeExact(details, map[string]any{"DisplayName": &c.Participant.DisplayName})
	}
	if err == nil && message != nil {
		c.InitialMessage = &chatMessage{}
		err = decodeExact(message, map[string]any{"ContentType": &c.InitialMessage.ContentType, "Content": &c.InitialMessage.Content})
	}
	if err == nil && persistent != nil {
		c.Persistent = &persistentChat{}
		err = decodeExact(persistent, map[string]any{"RehydrationType": &c.Persistent.RehydrationType, "SourceContactId": &c.Persistent.SourceContactID})
	}
	return &req, err
}

// checkChat applies the documented limits of StartChatContact, without looking at what exists.
func (r *startRequest) checkChat() *apiError {
	c := r.chat
	switch {
	case r.InstanceID == "":
		return refuse(CodeInvalidRequest, "InstanceId is required.")
	case r.ContactFlowID == "":
		return refuse(CodeInvalidRequest, "ContactFlowId is required.")
	case c.Participant == nil || c.Participant.DisplayName == "":
		return refuse(CodeInvalidRequest, "ParticipantDetails with a DisplayName is required.")
	case !isGUID(r.InstanceID):
		return badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case !isGUID(r.ContactFlowID):
		return badParameter("ContactFlowId", "must be the identifier in the last part of the flow ARN.")
	case tooLong(c.Participant.DisplayName, 256):
		return badParameter("ParticipantDetails.DisplayName", "must have 1 to 256 characters.")
	case tooLong(r.ClientToken, 500):
		return badParameter("ClientToken", "must have at most 500 characters.")
	case tooLong(c.CustomerID, 128):
		return badParameter("CustomerId", "must have at most 128 characters.")
	case c.DurationInMinutes != nil && (*c.DurationInMinutes < 60 || *c.DurationInMinutes > 10_080):
		return badParameter("ChatDurationInMinutes", "must be from 60 to 10080.")
	case len(c.ContentTypes) > 0 && !slices.Contains(c.ContentTypes, textPlain):
		return badParameter("SupportedMessagingContentTypes", "must contain text/plain.")
	case r.RelatedContactID != "" && c.Persistent != nil:
		return refuse(CodeInvalidRequest, "RelatedContactId and PersistentChat cannot be given together.")
	case tooLong(r.RelatedContactID, 256):
		return badParameter("RelatedContactId", "must have at most 256 characters.")
	}
	return firstError(func() *apiError { return checkAttributes(r.Attributes) }, c.checkMessage, c.checkPersistent)
}

const textPlain = "text/plain"

// messageLimits are the longest initial messages by content type, in characters.
var messageLimits = map[string]int{
	textPlain: 1024, "text/markdown": 1024, "application/json": 12_000, "application/vnd.amazonaws.connect.message.interactive.response": 12_288,
}

func (c *chatRequest) checkMessage() *apiError {
	m := c.InitialMessage
	if m == nil {
		return nil
	}
	most, known := messageLimits[m.ContentType]
	switch {
	case m.ContentType == "" || m.Content == "":
		return refuse(CodeInvalidRequest, "InitialMessage with ContentType and Content is required to have both.")
	case !known:
		return badParameter("InitialMessage.ContentType", "is not one that an initial message can have.")
	case tooLong(m.Content, most):
		return badParameter("InitialMessage.Content", fmt.Sprintf("must have at most %d characters as %s.", most, m.ContentType))
	}
	return nil
}

func (c *chatRequest) checkPersistent() *apiError {
	if p := c.Persistent; p != nil && p.RehydrationType != "ENTIRE_PAST_SESSION" && p.RehydrationType != "FROM_SEGMENT" {
		return badParameter("PersistentChat.RehydrationType", "must be ENTIRE_PAST_SESSION or FROM_SEGMENT.")
	}
	return nil
}

// chatAnswer is the answer to StartChatContact. The participant token is the same whenever the contact is returned; that the service does so
// is an assumption.
func (c *contact) chatAnswer(cfg *Config) any {
	answer := struct {
		ContactID              string `json:"ContactId"`
		ParticipantID          string `json:"ParticipantId"`
		ParticipantToken       string
		ContinuedFromContactID string `json:"ContinuedFromContactId,omitzero"`
	}{ContactID: c.id, ParticipantID: c.participantID(cfg), ParticipantToken: "participant-token-of-" + c.id}
	if c.request.chat != nil && c.request.chat.Persistent != nil {
		answer.ContinuedFromContactID = c.request.chat.Persistent.SourceContactID
	}
	return answer
}

// participantID returns the id of the customer in the chat, made of the contact's own id.
func (c *contact) participantID(cfg *Config) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.id)) // a hash.Hash never fails
	return guid(cfg.Seed, roomParticipants, h.Sum64())
}

// lasts returns how long the contact was asked to last; zero when the request does not say.
func (r *startRequest) lasts() time.Duration {
	switch {
	case r.chat != nil && r.chat.DurationInMinutes != nil:
		return time.Duration(*r.chat.DurationInMinutes) * time.Minute
	case r.task != nil:
		return time.Duration(r.task.ExpiryMinutes) * time.Minute
	}
	return 0
}
