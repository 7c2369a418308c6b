package clienttoken

// Error says why no token was made. It never holds an id, a token or a key, so it
// may be logged and shown: an id can be a phone number.
type Error struct {
	// Code is one of the Code constants; it does not change between versions.
	Code string
	// Field is the member at fault: a name of Input as written in a request
	// (notificationId, recipientId, recallId, keySpace, clientToken, eventId, ring),
	// an option (recipe, template, key), or of a
	// rule the operation or its parameter.
	Field string
	// Message is one sentence without its period.
	Message string
	// Fix is the next step for the person who reads the message.
	Fix string
}

// Error returns the code, the message and the fix on one line.
func (e *Error) Error() string {
	return e.Code + ": " + e.Message + "; " + e.Fix
}

// The codes of Error.
const (
	CodeIDMissing                = "id_missing"
	CodeIDControlCharacter       = "id_control_character"
	CodeIDNotUTF8                = "id_not_utf8"
	CodeClientTokenMissing       = "client_token_missing"
	CodeEventIDMissing           = "event_id_missing"
	CodeRingNegative             = "ring_negative"
	CodeTokenTooLong             = "token_too_long"
	CodeRecipeUnknown            = "recipe_unknown"
	CodeOptionUnused             = "option_unused"
	CodeTemplateMissing          = "template_missing"
	CodeTemplateNotUTF8          = "template_not_utf8"
	CodeTemplateControlCharacter = "template_control_character"
	CodeTemplateMalformed        = "template_malformed"
	CodePlaceholderUnknown       = "template_placeholder_unknown"
	CodeTemplateIDMissing        = "template_id_missing"
	CodePlaceholderEmpty         = "template_placeholder_empty"
	CodeTemplateKeySpaceMissing  = "template_key_space_missing"
	CodeTemplateRecallIDMissing  = "template_recall_id_missing"
	CodeHMACKeyMissing           = "hmac_key_missing"
	CodeHMACKeyTooShort          = "hmac_key_too_short"
	CodeOperationUnknown         = "operation_unknown"
	CodeTokenNone                = "token_none"
	CodeTokenIllegal             = "token_illegal"
	CodeParameterMissing         = "parameter_missing"
	CodeParameterSet             = "parameter_set"
)

// The values of Error.Field.
const (
	fieldNotificationID = "notificationId"
	fieldRecipientID    = "recipientId"
	fieldRecallID       = "recallId"
	fieldKeySpace       = "keySpace"
	fieldClientToken    = "clientToken"
	fieldEventID        = "eventId"
	fieldRing           = "ring"
	fieldRecipe         = "recipe"
	fieldTemplate       = "template"
	fieldKey            = "key"
	fieldOperation      = "operation"
	fieldParameter      = "parameter"
)

func fail(code, field, message, fix string) *Error {
	return &Error{Code: code, Field: field, Message: message, Fix: fix}
}
