package measure

import (
	"fmt"

	"github.com/ringonce/ringonce/internal/doctor"
)

// Side says what the steps b to e mean, for those that have been done.
func Side(s State) []doctor.Finding {
	var all []doctor.Finding
	if s.Params != nil {
		all = append(all, consistent(*s.Params, params(*s.Params)))
	}
	if s.Refusal != nil {
		all = append(all, consistent(*s.Refusal, refusal(*s.Refusal)))
	}
	all = append(all, late(s.Late)...)
	if s.Scope != nil {
		all = append(all, consistent(*s.Scope, scope(*s.Scope)))
	}
	return all
}

// consistent replaces what a trial shows when the person heard a ring that no contact explains.
func consistent(t Trial, f doctor.Finding) doctor.Finding {
	if t.Heard != HeardRing || t.Outcome == NewContact || t.Outcome == NotRefused {
		return f
	}
	return doctor.Finding{
		Check: f.Check, Level: doctor.Unknown, What: "The evidence contradicts itself: no further contact was started and yet the telephone rang.",
		Why: "The ring may have been somebody else's call.", Fix: "Measure again with a fresh state file.",
	}
}

func params(t Trial) doctor.Finding {
	f := doctor.Finding{Check: "other-parameters", Level: doctor.OK}
	switch t.Outcome {
	case SameContact:
		f.What = "The same token with other parameters returns the old contact: what is new in the second request is ignored."
	case Refused:
		f.What = fmt.Sprintf("The same token with other parameters is refused (%s).", t.Code)
	case NewContact:
		f.Level, f.What = doctor.Warning, "The same token with other parameters starts a new contact."
		f.Why = "A retry whose bytes differ from those of the first request would ring again. ringonce sends the stored bytes; a system that shares its tokens may not."
		f.Fix = "Let no other system share the token rule of a profile."
	case NotRefused:
	}
	return f
}

func refusal(t Trial) doctor.Finding {
	f := doctor.Finding{Check: "refused-token", Level: doctor.OK}
	switch t.Outcome {
	case NewContact:
		f.What = "A token whose first request was refused can still place a call."
	case Refused:
		f.Level, f.What = doctor.Notice, fmt.Sprintf("A token whose first request was refused is used up: a valid request with it is refused too (%s).", t.Code)
		f.Why = "A call that a wrong flow or permission kept from ringing cannot ring under its own token once that is mended."
		f.Fix = "Nothing: ringonce goes on under the next ring number when the body changes (cause repin)."
	case NotRefused:
		f.Level, f.What = doctor.Unknown, "The flow that should have been refused was taken, so this was not measured."
		f.Why, f.Fix = "Signatures that are old could not be tried without ringing either.", "Name a flow that does not exist with --refused-flow, and measure with a fresh state file."
	case SameContact:
		f.Level, f.What = doctor.Unknown, "A token whose first request was refused returned a contact that it had not started."
		f.Why, f.Fix = "Nothing explains this.", "Measure again with a fresh state file."
	}
	return f
}

func late(all []Late) []doctor.Finding {
	var found []doctor.Finding
	for _, l := range all {
		f := doctor.Finding{Check: "old-signature", Level: doctor.OK, What: fmt.Sprintf("A signature that is %s old is rejected (%s).", span(l.Age), l.Code)}
		if !l.Rejected {
			f.What = fmt.Sprintf("A signature that is %s old is accepted.", span(l.Age))
			if l.Age > initiationSlack {
				f.Level = doctor.Warning
				f.Why = "The lemma that no request is accepted after its token has expired takes signatures over 15 minutes old as rejected (protocol.md section 5); " +
					"a request that is held up for days on its way could ring."
				f.Fix = "Use resend: never, and let nothing stand between ringonce and Amazon Connect that could hold requests up."
			}
		}
		found = append(found, f)
	}
	return found
}

func scope(t Trial) doctor.Finding {
	f := doctor.Finding{Check: "token-scope", Level: doctor.OK}
	switch t.Outcome {
	case NewContact:
		f.What = "The same token on a second instance starts a contact of its own: a token counts within one instance."
	case SameContact:
		f.What = "The same token on a second instance returns the contact of the first: a token counts within the account and Region."
	case Refused:
		f.What = fmt.Sprintf("The same token on a second instance is refused (%s): if its settings are right, a token counts within the account and Region.", t.Code)
	case NotRefused:
	}
	return f
}
