package clienttoken

// The operations of Amazon Connect, besides StartOutboundVoiceContact, whose tokens [ContactToken] makes.
const (
	StartChatContact = "StartChatContact"
	StartTaskContact = "StartTaskContact"
)

// ContactToken returns the token of StartChatContact or StartTaskContact for a key of which base is the token by a recipe (Maker.Token): the
// lower-case hex of SHA-256(base + "\n\n" + "connect " + operation). It is what [Rule.Token] returns for the operation, without reading what
// is known of the others. An empty base gives an empty token, which nothing may send.
//
// Tokens of two operations never meet: nobody says whether Amazon Connect keeps them apart, and a chat that is answered by the id of a call
// would be lost. What the operation adds is no ring number, so no token of one is that of a later ring either.
func ContactToken(operation, base string) string {
	if base == "" {
		return ""
	}
	return operationDigits(base, "connect", operation)
}
