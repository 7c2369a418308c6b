// Package connectemu is an Amazon Connect that misbehaves on purpose.
//
// It emulates the operations of the Connect API about outbound calls (StartOutboundVoiceContact, DescribeContact, StopContact,
// SearchContacts, GetContactAttributes, UpdateContactAttributes, TagContact and UntagContact), those that start chats and tasks
// (StartChatContact and StartTaskContact), and those that show what exists
// (DescribeInstance, ListContactFlows, DescribeContactFlow, DescribeQueue and ListPhoneNumbersV2) as an http.Handler that any AWS SDK
// can talk to, and it keeps what the real service never shows: a list of
// rings. A ring is a contact that dials; busy and invalid numbers count. No telephone is ever touched, so only fictitious
// numbers belong here.
//
// Everything is decided by a [Config] (documented limits by default), by the number called ([DefaultFate]) and by a [Plan] of
// faults. All time comes from the [Clock] of the configuration and all chance from its seed; the life of a contact is computed
// from the clock when somebody looks, so the emulator has no timers and no background goroutines.
//
// With [Config.TruthLog] what happened is also written down line by line, hash-chained, for an auditor that comes later.
//
// # What is documented and what is a switch
//
// The wire (paths, members, limits, error names, HTTP codes) follows the public API reference of the Connect service, model
// 2017-08-08. Where the reference is silent, the behavior is a switch with a stated default:
//
//   - [Config.Reading]: whether a token outlives the contact it started ([A1], today's text) or not ([A1Prime], the text before
//     June 2021: "If the contact is disconnected, a new contact is started").
//   - [Config.TokenSameOtherParams]: a repeated token with other parameters.
//   - [Config.TokenOnRefusal], [Config.TokenOnThrottle] and [Config.TokenOnFailure]: what a request that failed does to its token.
//   - [Config.TokenScope] and [Config.TokenLag]: where a token is unique and how fast it is seen.
//   - [Config.TokenRefreshes]: whether the validity of a token runs from its creation or from its last use.
//   - [Digital.TokenValidity] of [Config.Chats] and [Config.Tasks]: for how long, if at all, the tokens of chats and tasks are honored.
//   - [Config.TokensShared]: whether calls, chats and tasks share one room of tokens.
//   - [Config.ThrottleCode]: the name of the error of a start that is too fast.
//   - [Config.OverQuota]: whether too many calls are answered LimitExceededException, or placed to hear the fast busy tone.
//   - [Config.SearchSeesOnlyCompleted] and [Config.SearchDelay]: how late a contact can be found.
//   - [Config.EventReasons] and [Config.EventInstanceFirst]: what contact events show.
//
// docs/emulator.md has the whole list.
//
// A value of the wrong shape is answered InvalidParameterException; a missing member, or members that contradict each other,
// InvalidRequestException. The reference does not say which of the two the service uses.
//
// # Contact events
//
// The life of a contact is told as EventBridge events, which [Server.TakeEvents] returns as they become due and [Server.DeliverEvents]
// hands to a sink; package connectemu/deliver has sinks for an HTTP endpoint, an SQS queue and an EventBridge bus. The plan loses, delays,
// repeats and disfigures them, see [EventFault].
package connectemu
