package call

// Kind is the kind of contact a request makes. A profile says it, and it is part of the key: the same ids under profiles of two kinds are
// two logical requests, with rows, tokens and stored bytes of their own.
type Kind string

// The kinds of contacts.
const (
	KindVoice Kind = "voice" // StartOutboundVoiceContact: a phone rings
	KindChat  Kind = "chat"  // StartChatContact
	KindTask  Kind = "task"  // StartTaskContact
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{KindVoice, KindChat, KindTask} }

// NeedsNumber reports whether a request of the kind must name a phone number.
func (k Kind) NeedsNumber() bool { return k == KindVoice || k == "" }

// tokenStated reports whether AWS says for how long it honors a ClientToken of the kind. It says so of voice alone
// (facts/idempotent-apis.json), so nothing else is sent again because of its token.
func (k Kind) tokenStated() bool { return k == KindVoice || k == "" }

// searchable reports whether a search can find a contact of the kind by the mark of its call. StartChatContact takes no Name, and
// attributes are not searched unless an administrator made them so (facts/amazon-connect.md sections 4 and 6).
func (k Kind) searchable() bool { return k != KindChat }

// orVoice returns the kind, which is voice unless said otherwise.
func (k Kind) orVoice() Kind {
	if k == "" {
		return KindVoice
	}
	return k
}
