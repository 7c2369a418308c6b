package connectemu

import "time"

// stop is StopContact. A contact that has ended, like one that never was, is answered ContactNotFoundException.
func (s *Server) stop(cfg *Config, x *exchange, now time.Time) reply {
	var instanceID, contactID string
	var reason struct{ Code string }
	err := decodeExact(x.body, map[string]any{"InstanceId": &instanceID, "ContactId": &contactID, "DisconnectReason": &reason})
	switch {
	case err != nil:
		return failure(refuse(CodeSerialization, "The request body cannot be read: "+err.Error()))
	case instanceID == "":
		return failure(refuse(CodeInvalidRequest, "InstanceId is required."))
	case contactID == "":
		return failure(refuse(CodeInvalidRequest, "ContactId is required."))
	case !isGUID(instanceID):
		return failure(badParameter("InstanceId", "must be the identifier in the last part of the instance ARN."))
	case tooLong(contactID, 256):
		return failure(badParameter("ContactId", "must have at most 256 characters."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, instanceID, contactID, now)
	if c == nil || c.ended(now) {
		return failure(refuse(CodeContactNotFound, "The contact with the specified ID is not active or does not exist."))
	}
	s.happenLocked(cfg, now)
	c.stop(now)
	s.planEventsLocked(c)
	s.activeLocked(instanceID, c.channel).release(c)
	x.record.ContactID = c.id
	return success(OutcomeServed, struct{}{})
}
