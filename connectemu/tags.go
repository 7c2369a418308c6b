package connectemu

import (
	"maps"
	"strings"
	"time"
)

// maxTags is how many tags of a user a contact may have, and a request may name.
const maxTags = 6

// tag is TagContact.
func (s *Server) tag(cfg *Config, x *exchange, now time.Time) reply {
	var instanceID, contactID string
	var tags map[string]string
	err := decodeExact(x.body, map[string]any{"InstanceId": &instanceID, "ContactId": &contactID, "Tags": &tags})
	if err != nil {
		return failure(refuse(CodeSerialization, "The request body cannot be read: "+err.Error()))
	}
	if err := checkContactIDs(instanceID, "ContactId", contactID); err != nil {
		return failure(err)
	}
	if err := checkTags(tags); err != nil {
		return failure(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, instanceID, contactID, now)
	if c == nil {
		return failure(refuse(CodeNotFound, "The contact was not found."))
	}
	merged := make(map[string]string, len(c.userTags)+len(tags))
	maps.Copy(merged, c.userTags)
	maps.Copy(merged, tags)
	if len(merged) > maxTags {
		return failure(badParameter("Tags", "would give the contact more than 6 tags."))
	}
	s.happenLocked(cfg, now)
	c.userTags, c.updated = merged, now
	x.record.ContactID = c.id
	return success(OutcomeServed, struct{}{})
}

// untag is UntagContact. Keys that the contact does not have are ignored.
func (s *Server) untag(cfg *Config, x *exchange, now time.Time) reply {
	keys := x.query["TagKeys"]
	if err := checkContactIDs(x.instanceID, "ContactId", x.contactID); err != nil {
		return failure(err)
	}
	switch {
	case len(keys) == 0:
		return failure(refuse(CodeInvalidRequest, "TagKeys is required."))
	case len(keys) > maxTags:
		return failure(badParameter("TagKeys", "must have at most 6 keys."))
	}
	for _, key := range keys {
		if !isTagKey(key) {
			return failure(badParameter("TagKeys", "has a key that no tag of a contact can have."))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findLocked(cfg, x.instanceID, x.contactID, now)
	if c == nil {
		return failure(refuse(CodeNotFound, "The contact was not found."))
	}
	s.happenLocked(cfg, now)
	for _, key := range keys {
		delete(c.userTags, key)
	}
	c.updated = now
	x.record.ContactID = c.id
	return success(OutcomeServed, struct{}{})
}

func checkTags(tags map[string]string) *apiError {
	switch {
	case len(tags) == 0:
		return refuse(CodeInvalidRequest, "Tags is required.")
	case len(tags) > maxTags:
		return badParameter("Tags", "must have at most 6 tags.")
	}
	for key, value := range tags {
		switch {
		case !isTagKey(key):
			return badParameter("Tags", "has a key that is empty, too long, begins with aws: or has other characters than letters, digits and +-=._:/,;<")
		case tooLong(value, 256):
			return badParameter("Tags", "has a value over 256 characters.")
		}
	}
	return nil
}

// isTagKey is the pattern ^(?!aws:)[a-zA-Z+-=._:/]+$ of the API model, of 1 to 128 characters, taken literally: the range from + to =
// holds the digits and a few signs.
func isTagKey(key string) bool {
	if key == "" || len(key) > 128 || strings.HasPrefix(key, "aws:") {
		return false
	}
	for i := range len(key) {
		b := key[i]
		if (b < '+' || b > '=') && b != '_' && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return true
}
