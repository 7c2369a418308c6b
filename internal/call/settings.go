package call

// settings returns what a ring of the profile is dialed with.
func (p Profile) settings() Settings {
	return Settings{
		Target: Target{Region: p.Region, InstanceID: p.InstanceID}, ContactFlowID: p.ContactFlowID, QueueID: p.QueueID, SourcePhone: p.SourcePhone,
	}
}

// dialedWith returns the profile with the settings that the row's rule pins, if it does.
func (c Call) dialedWith(p Profile) Profile {
	if s := c.Settings; s != nil {
		p.Region, p.InstanceID = s.Target.Region, s.Target.InstanceID
		p.ContactFlowID, p.QueueID, p.SourcePhone = s.ContactFlowID, s.QueueID, s.SourcePhone
	}
	return p
}

// recordSettings completes the intent that sets the pin of a row with what its body was made of, where a rule may ring again with the same. The
// body itself is the dialer's, and says it to nobody else.
func (e *Engine) recordSettings(c Call, p Profile, intent Event) Event {
	if intent.Pin == "" || !c.Follows || !e.again(c, p).Pinned {
		return intent
	}
	dialed := c.dialedWith(p).settings()
	intent.Dialed = &dialed
	return intent
}

// trackingOf says whether the outcome of a profile's contacts is to be known, and whether what comes after their end is to be decided.
func (e *Engine) trackingOf(p Profile) (tracked, follows bool) {
	if e.Outcome == nil || e.Tracks == nil {
		return false, false
	}
	return e.Tracks(p)
}

// again asks the rule of a profile about a call.
func (e *Engine) again(c Call, p Profile) Follow {
	if e.Again == nil {
		return Follow{Why: "no rule asks for another ring"}
	}
	return e.Again(c, p)
}
