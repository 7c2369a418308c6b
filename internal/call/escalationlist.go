package call

import "strconv"

// MaxEscalation is how many recipients an escalation list may name.
const MaxEscalation = 20

// validateEscalation checks the list of a request as its own members are. Every recipient is named once: a list that comes back to somebody
// would never end.
func validateEscalation(r Request) error {
	if len(r.Escalation) > MaxEscalation {
		return refuse(CodeFieldValue, "escalation", "Name the most important ones.", "The field escalation names more than %d recipients.", MaxEscalation)
	}
	named := map[string]bool{r.RecipientID: true}
	for i, next := range r.Escalation {
		field := "escalation[" + strconv.Itoa(i) + "]"
		if err := validateID(field+".recipientId", next.RecipientID, true); err != nil {
			return err
		}
		if err := validateID(field+".profile", next.Profile, false); err != nil {
			return err
		}
		if next.Destination != "" {
			if _, err := ParsePhone(next.Destination); err != nil {
				return refuse(CodeFieldValue, field+".destinationPhoneNumber", "Write it as + and 2 to 15 digits.", "The field %s.destinationPhoneNumber is no E.164 number.", field)
			}
		}
		if named[next.RecipientID] {
			return refuse(CodeFieldValue, field+".recipientId", "Name every recipient once.", "The field escalation names a recipient twice, or the one of the request.")
		}
		named[next.RecipientID] = true
	}
	return nil
}

// checkEscalation refuses a list that could not be followed under the configuration of now: nobody would learn how the calls end, or the keys of
// two recipients would be one.
func (e *Engine) checkEscalation(r Request, p Profile) error {
	if len(r.Escalation) == 0 || r.Withdraws() {
		return nil
	}
	if e.Identity != IdentityIDs && e.Identity != "" {
		return refuse(CodeFieldValue, "escalation", "Use a token.recipe that is made of the ids.", "The field escalation needs keys that are made of the ids.")
	}
	if tracked, _ := e.trackingOf(p); !tracked {
		return refuse(CodeNotTracked, "escalation", "Configure a ledger and outcome: track for the profile.", "The field escalation needs a profile whose outcomes are tracked.")
	}
	for i, next := range r.Escalation {
		field := "escalation[" + strconv.Itoa(i) + "]"
		other := p
		if next.Profile != "" {
			named, ok := e.Profile(next.Profile)
			if !ok {
				return refuse(CodeProfileUnknown, field+".profile", "Add it to profiles in the configuration, or correct the request.", "The field %s.profile names no configured profile.", field)
			}
			other = named.WithDefaults()
		}
		tracked, _ := e.trackingOf(other)
		switch {
		case other.Kind != p.Kind:
			return refuse(CodeFieldValue, field+".profile", "Name a profile of kind "+string(p.Kind)+".", "The field %s.profile names a profile of another kind.", field)
		case !tracked:
			return refuse(CodeNotTracked, field+".profile", "Configure outcome: track for it.", "The field %s.profile names a profile whose outcomes are not tracked.", field)
		case other.Kind.NeedsNumber() && next.Destination == "":
			return refuse(CodeFieldMissing, field+".destinationPhoneNumber", "Add the number in E.164 form.", "The field %s.destinationPhoneNumber is missing.", field)
		}
	}
	return nil
}

// checkTurnTokens refuses a list with a recipient whose key makes no client token: they could never be rung, and it is known now. A recipe that is
// changed later passes over them.
func (e *Engine) checkTurnTokens(r Request, key Key) error {
	if r.Withdraws() {
		return nil
	}
	for i, next := range r.Escalation {
		key.RecipientID = next.RecipientID
		if _, err := e.token(key, 0); err != nil {
			refusal, _ := errorAs(err)
			return refuse(CodeTokenInvalid, "escalation["+strconv.Itoa(i)+"].recipientId", "Correct the ids or the recipe.", "The recipient of escalation[%d] cannot be rung. %s", i, refusal.Message)
		}
	}
	return nil
}
