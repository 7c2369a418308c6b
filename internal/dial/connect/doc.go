// Package connect makes contacts with StartOutboundVoiceContact, StartChatContact and StartTaskContact of Amazon Connect, through the AWS
// SDK, one wire request at a time.
//
// What the SDK does on its own is what makes phones ring twice, so each of these habits is taken away from it here
// (protocol.md section 0, facts F5, F7 and F8):
//
//   - retries: the dial runs under aws.NopRetryer, and oneshot.go refuses a second request for one attempt even if something
//     should ask for it; bodies cannot be rewound, so net/http neither replays a request nor follows a redirect with it;
//   - tokens: a nil ClientToken would be filled with a random one; Dial refuses before it reaches the SDK;
//   - bodies: the SDK serializes maps in random order; serialize.go puts the stored bytes on the wire instead;
//   - dates: the SDK signs with a clock it has corrected by what servers say; signer.go signs with the injected clock, and
//     aborts before a byte is sent when that instant lies outside the bounds of the send rule (protocol.md section 5);
//   - verdicts: its error types do not say whether a phone may have rung; classify.go does (protocol.md section 4).
//
// Each dial has a connection of its own. A kept connection may have been closed by the far end, most of all after a Lambda
// freeze, and a request written into it is lost without a sign: an ambiguous answer for nothing. Dials are paced at two a
// second, so a handshake each is a small price. Reads share kept connections.
package connect
