package clienttoken

import "unicode/utf8"

// Input is what a token is made from. A recipe reads KeySpace, Ring and its own
// fields; the others may hold anything.
type Input struct {
	// KeySpace is the room in which the ids are unique; empty means the unnamed one.
	KeySpace string
	// NotificationID and RecipientID are the ids of the request.
	NotificationID, RecipientID string
	// RecallID is the producer's name for an intended further ring; empty means none.
	RecallID string
	// ClientToken is the producer's own token, read by Message only.
	ClientToken string
	// EventID is the id of the EventBridge event, read by EventID only.
	EventID string
	// Ring is the ring number of the call, 0 first.
	Ring int
}

// checkCommon checks what every recipe reads. Checks run in one fixed order, so
// that every implementation names the same fault first.
func (in *Input) checkCommon() error {
	if in.Ring < 0 {
		return fail(CodeRingNegative, fieldRing, "ring is negative", "count rings from 0")
	}
	if in.KeySpace == "" {
		return nil
	}
	return checkText(fieldKeySpace, in.KeySpace)
}

// checkIDs checks the fields that recipes over ids read.
func (in *Input) checkIDs() error {
	if err := checkPresent(CodeIDMissing, fieldNotificationID, in.NotificationID); err != nil {
		return err
	}
	if err := checkPresent(CodeIDMissing, fieldRecipientID, in.RecipientID); err != nil {
		return err
	}
	if in.RecallID == "" {
		return nil
	}
	return checkText(fieldRecallID, in.RecallID)
}

func checkPresent(code, field, value string) error {
	if value == "" {
		return fail(code, field, field+" is missing", "send "+field+" as a non-empty string")
	}
	return checkText(field, value)
}

func checkText(field, value string) error {
	if !utf8.ValidString(value) {
		return fail(CodeIDNotUTF8, field, field+" is not valid UTF-8", "send "+field+" as UTF-8 text")
	}
	if hasControl(value) {
		return fail(CodeIDControlCharacter, field, field+" holds a control character",
			"remove line breaks, tabs and other control characters from "+field)
	}
	return nil
}

// hasControl reports whether s holds a character of category Cc. The line feed is
// one of them, which is what lets it separate the parts of a hashed identity.
func hasControl(s string) bool {
	for _, r := range s {
		if r < 0x20 || (r >= 0x7f && r <= 0x9f) {
			return true
		}
	}
	return false
}
