package connectemu

import (
	"maps"
	"strconv"
	"time"
)

// epoch is a time on the wire: seconds since 1970 with milliseconds, as a JSON number.
type epoch time.Time

// IsZero lets the omitzero option leave out times that have not come.
func (e epoch) IsZero() bool { return time.Time(e).IsZero() }

// MarshalJSON implements json.Marshaler.
func (e epoch) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Time(e).UnixMilli())/1000, 'f', 3, 64), nil
}

// endpointInfo is a telephone number in a description.
type endpointInfo struct {
	Type    string
	Address string
}

// wireContact is the member Contact of the answer to DescribeContact, with the members an outbound voice contact can have.
type wireContact struct {
	Arn                        string
	ID                         string `json:"Id"`
	InitiationMethod           string
	Channel                    Channel
	Name                       string            `json:",omitzero"`
	Description                string            `json:",omitzero"`
	RelatedContactID           string            `json:"RelatedContactId,omitzero"`
	Attributes                 map[string]string `json:",omitzero"`
	Tags                       map[string]string
	CustomerEndpoint           *endpointInfo `json:",omitzero"`
	SystemEndpoint             *endpointInfo `json:",omitzero"`
	QueueInfo                  *wireQueue    `json:",omitzero"`
	AgentInfo                  *wireAgent    `json:",omitzero"`
	InitiationTimestamp        epoch
	LastUpdateTimestamp        epoch
	ConnectedToSystemTimestamp epoch  `json:",omitzero"`
	DisconnectTimestamp        epoch  `json:",omitzero"`
	DisconnectReason           string `json:",omitzero"`

	AnsweringMachineDetectionStatus string `json:",omitzero"`
}

// wireQueue is the member QueueInfo.
type wireQueue struct {
	ID               string `json:"Id"`
	EnqueueTimestamp epoch  `json:",omitzero"`
}

// wireAgent is the member AgentInfo.
type wireAgent struct {
	ID                        string `json:"Id"`
	ConnectedToAgentTimestamp epoch
}

// describe is DescribeContact.
func (s *Server) describe(cfg *Config, x *exchange, now time.Time) reply {
	switch {
	case !isGUID(x.instanceID):
		return failure(badParameter("InstanceId", "must be the identifier in the last part of the instance ARN."))
	case len(x.contactID) > 256:
		return failure(badParameter("ContactId", "must have at most 256 characters."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, x.instanceID, x.contactID, now)
	if c == nil {
		return failure(refuse(CodeNotFound, "The contact was not found."))
	}
	x.record.ContactID = c.id
	return success(OutcomeServed, struct{ Contact wireContact }{c.wire(cfg, now)})
}

// findLocked returns a contact of the instance that is still kept, or nil.
func (s *Server) findLocked(cfg *Config, instanceID, contactID string, now time.Time) *contact {
	c := s.byID[contactID]
	if c == nil || c.request.InstanceID != instanceID || !c.kept(cfg, now) {
		return nil
	}
	return c
}

// kept reports whether the retention of the contact has not passed.
func (c *contact) kept(cfg *Config, now time.Time) bool {
	return now.Sub(c.initiated) <= cfg.Retention
}

// machine is what answering machine detection found, which is only asked of calls of campaigns.
func (c *contact) machine() string {
	if detection := c.request.MachineDetection; detection == nil || !detection.EnableAnswerMachineDetection {
		return ""
	}
	return traits[c.fate].machine
}

func (c *contact) arn(cfg *Config) string {
	return "arn:aws:connect:" + cfg.Region + ":" + cfg.Account + ":instance/" + c.request.InstanceID + "/contact/" + c.id
}

func (c *contact) tags() map[string]string {
	tags := map[string]string{"aws:connect:instanceId": c.request.InstanceID}
	if c.request.SourcePhoneNumber != "" {
		tags["aws:connect:systemEndpoint"] = c.request.SourcePhoneNumber
	}
	maps.Copy(tags, c.userTags)
	return tags
}

func (c *contact) wire(cfg *Config, now time.Time) wireContact {
	v := c.view(now)
	w := wireContact{
		Arn: c.arn(cfg), ID: c.id, InitiationMethod: "API", Channel: c.channel, Name: v.Name, Description: v.Description,
		RelatedContactID: c.request.RelatedContactID, Attributes: v.Attributes, Tags: c.tags(),
		InitiationTimestamp: epoch(v.InitiatedAt), LastUpdateTimestamp: epoch(v.InitiatedAt),
		ConnectedToSystemTimestamp: epoch(v.ConnectedAt), DisconnectTimestamp: epoch(v.DisconnectedAt),
		DisconnectReason: v.DisconnectReason,
	}
	if v.Number != "" {
		w.CustomerEndpoint = &endpointInfo{"TELEPHONE_NUMBER", v.Number}
	}
	if v.SourceNumber != "" {
		w.SystemEndpoint = &endpointInfo{"TELEPHONE_NUMBER", v.SourceNumber}
	}
	if v.QueueID != "" {
		w.QueueInfo = &wireQueue{ID: v.QueueID}
		if traits[c.fate].agent && c.answered(now) {
			w.QueueInfo.EnqueueTimestamp = epoch(c.connected)
		}
	}
	if !c.agentAt.IsZero() && c.agentAt.Before(c.disconnected) && !now.Before(c.agentAt) {
		w.AgentInfo = &wireAgent{ID: agentID, ConnectedToAgentTimestamp: epoch(c.agentAt)}
	}
	for _, t := range []time.Time{v.ConnectedAt, v.DisconnectedAt, c.updated} {
		if t.After(time.Time(w.LastUpdateTimestamp)) {
			w.LastUpdateTimestamp = epoch(t)
		}
	}
	if c.ended(now) {
		w.AnsweringMachineDetectionStatus = c.machine()
	}
	return w
}
