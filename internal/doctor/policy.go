package doctor

import (
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// The readings of the client token (protocol.md section 0).
const (
	// ReadingA1 is today's text: a repeated token returns the old contact for 7 days.
	ReadingA1 = "A1"
	// ReadingA1Prime is the text before June 2021: a repeated token may start a new contact once the first has ended.
	ReadingA1Prime = "A1'"
)

// JudgeResend says what the reading of the token means for a profile's policy (protocol.md section 5); reading is empty when it was
// never measured.
func JudgeResend(profile string, resend call.Resend, reading string) Finding {
	f := Finding{Check: "resend", Subject: profile, Why: "", Fix: "", Level: OK}
	switch {
	case reading == ReadingA1:
		f.What = fmt.Sprintf("Profile %s has resend: %s; measured on this instance is A1, under which every policy rings once.", profile, resend)
	case resend == call.ResendToken && reading == ReadingA1Prime:
		f.Level, f.What = Fault, fmt.Sprintf("Profile %s has resend: token, and measured on this instance is A1'.", profile)
		f.Why = "When an answer is lost and the contact has ended before the resend, the phone rings a second time."
		f.Fix = "Set resend: never (lost answers become in doubt unless evidence decides) or resend: evidence in the profile."
	case resend == call.ResendToken:
		f.Level, f.What = Notice, fmt.Sprintf("Profile %s has resend: token, and the reading of the token was never measured on this instance.", profile)
		f.Why = "AWS documents that a repeated token returns the old contact for 7 days (A1). Until June 2021 it said that a new contact is started once the first has " +
			"ended (A1'). Should that still be so, the phone rings twice in one corner: the answer was lost and the contact ended before the resend."
		f.Fix = "Run ringonce doctor --measure-token with your own number, or set resend: never, which is safe under both."
	case resend == call.ResendEvidence && reading == ReadingA1Prime:
		f.Level, f.What = Notice, fmt.Sprintf("Profile %s has resend: evidence, and measured on this instance is A1'.", profile)
		f.Why = "It is as safe as the search for contacts is complete."
		f.Fix = "Set resend: never if a second ring is worse than a doubt."
	case resend == call.ResendEvidence:
		f.What = fmt.Sprintf("Profile %s has resend: evidence: under A1 it rings once, under A1' it is as safe as the search for contacts is complete.", profile)
	default:
		f.What = fmt.Sprintf("Profile %s has resend: %s, which rings once under both readings of the token.", profile, resend)
	}
	return f
}
