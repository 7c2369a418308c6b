package connectemu

import (
	"maps"
	"time"
)

// getAttributes is GetContactAttributes, whose only modeled errors are InvalidRequestException, ResourceNotFoundException and
// InternalServiceException.
func (s *Server) getAttributes(cfg *Config, x *exchange, now time.Time) reply {
	switch {
	case !isGUID(x.instanceID):
		return failure(refuse(CodeInvalidRequest, "InstanceId must be the identifier in the last part of the instance ARN."))
	case tooLong(x.contactID, 256):
		return failure(refuse(CodeInvalidRequest, "InitialContactId must have at most 256 characters."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, x.instanceID, x.contactID, now)
	if c == nil {
		return failure(refuse(CodeNotFound, "The contact was not found."))
	}
	x.record.ContactID = c.id
	attributes := c.attributes
	if attributes == nil {
		attributes = map[string]string{}
	}
	return success(OutcomeServed, struct{ Attributes map[string]string }{attributes})
}

// updateAttributes is UpdateContactAttributes: it creates or replaces the attributes that are named, of ongoing and of completed
// contacts, and leaves the others. The limit holds for what the contact has afterwards. An attribute that is set to an empty value
// stays, with that value; the reference only says that this "removes" it.
func (s *Server) updateAttributes(cfg *Config, x *exchange, now time.Time) reply {
	var instanceID, contactID string
	var attributes map[string]string
	err := decodeExact(x.body, map[string]any{"InstanceId": &instanceID, "InitialContactId": &contactID, "Attributes": &attributes})
	switch {
	case err != nil:
		return failure(refuse(CodeSerialization, "The request body cannot be read: "+err.Error()))
	case attributes == nil:
		return failure(refuse(CodeInvalidRequest, "Attributes is required."))
	}
	if err := checkContactIDs(instanceID, "InitialContactId", contactID); err != nil {
		return failure(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, instanceID, contactID, now)
	if c == nil {
		return failure(refuse(CodeNotFound, "The contact was not found."))
	}
	merged := make(map[string]string, len(c.attributes)+len(attributes))
	maps.Copy(merged, c.attributes)
	maps.Copy(merged, attributes)
	if err := checkAttributes(merged); err != nil {
		return failure(err)
	}
	s.happenLocked(cfg, now)
	c.attributes, c.updated = merged, now
	s.events.planLocked(moment{EventDataUpdated, now}, c)
	x.record.ContactID = c.id
	return success(OutcomeServed, struct{}{})
}

// checkContactIDs judges the two ids that a body names a contact with; member is the name of the second.
func checkContactIDs(instanceID, member, contactID string) *apiError {
	switch {
	case instanceID == "":
		return refuse(CodeInvalidRequest, "InstanceId is required.")
	case contactID == "":
		return refuse(CodeInvalidRequest, member+" is required.")
	case !isGUID(instanceID):
		return badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case tooLong(contactID, 256):
		return badParameter(member, "must have at most 256 characters.")
	}
	return nil
}
