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

// Sentence says what the state of the call means to an operator, in the words of its kind.
func (c Call) Sentence() string {
	if c.Key.Kind.NeedsNumber() {
		return c.State.Sentence()
	}
	switch c.State {
	case Received:
		return "Accepted and stored; nothing has been sent to Amazon Connect yet."
	case Dialing:
		return "A request was sent or is about to be sent; its answer is not definite yet."
	case Placed:
		return "Amazon Connect created the " + string(c.Key.Kind) + ", once."
	case Failed:
		return "Refused for good: no " + string(c.Key.Kind) + " was created, and none will be."
	case Expired:
		return "The time limit passed before anything was sent: no " + string(c.Key.Kind) + " was created, and none will be."
	case Canceled:
		return "Withdrawn before anything was created: there is no " + string(c.Key.Kind) + ", and none will be."
	case InDoubt:
		return "The " + string(c.Key.Kind) + " may exist; nothing so far decides it. It is never sent again by itself."
	}
	return "Unknown state."
}
