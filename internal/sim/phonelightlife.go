package sim

import (
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// lightLife is how a contact of a fate ends. Those that are answered ring and talk as long as the emulator lets them.
type lightLife struct {
	answered bool
	after    time.Duration // until the end of what nobody answers
	reason   string
}

// ringTimeout is how long Amazon Connect rings when the request says nothing.
const ringTimeout = time.Minute

// lightLives are written from the same facts as the emulator's (facts/amazon-connect.md section 5).
var lightLives = map[connectemu.Fate]lightLife{
	connectemu.FateAnswers:     {true, 0, "CUSTOMER_DISCONNECT"},
	connectemu.FateFlowEnds:    {true, 0, "CONTACT_FLOW_DISCONNECT"},
	connectemu.FateVoicemail:   {true, 0, "CONTACT_FLOW_DISCONNECT"},
	connectemu.FateOther:       {true, 0, "OTHER"},
	connectemu.FateNoReason:    {true, 0, ""},
	connectemu.FateBusy:        {false, 2 * time.Second, "TELECOM_BUSY"},
	connectemu.FateNoAnswer:    {false, ringTimeout, "TELECOM_ORIGINATOR_CANCEL"},
	connectemu.FateTimeout:     {false, ringTimeout, "TELECOM_TIMEOUT"},
	connectemu.FateUnreachable: {false, 5 * time.Second, "TELECOM_UNANSWERED"},
	connectemu.FateInvalid:     {false, time.Second, "TELECOM_NUMBER_INVALID"},
	connectemu.FateProblem:     {false, 2 * time.Second, "TELECOM_PROBLEM"},
	connectemu.FateBlocked:     {false, 3 * time.Second, "TELECOM_POTENTIAL_BLOCKING"},
}

// live gives a contact that begins now the life of its fate.
func (c *lightContact) live(fate connectemu.Fate) {
	life, known := lightLives[fate]
	if !known {
		life = lightLives[connectemu.FateAnswers]
	}
	c.reason = life.reason
	if life.answered {
		c.connected = c.at.Add(connectemu.DefaultRingTime)
		c.ended = c.connected.Add(connectemu.DefaultTalkTime)
		return
	}
	c.ended = c.at.Add(life.after)
}

// stop ends a contact that lasts.
func (c *lightContact) stop(now time.Time) {
	if c.reason = "OTHER"; c.connected.IsZero() || now.Before(c.connected) {
		c.connected, c.reason = time.Time{}, "TELECOM_ORIGINATOR_CANCEL"
	}
	c.ended = now
}

// story returns what has happened until now.
func (c *lightContact) story(now time.Time) contactStory {
	told := contactStory{initiated: c.at}
	if !c.connected.IsZero() && !now.Before(c.connected) {
		told.connected = c.connected
	}
	if !now.Before(c.ended) {
		told.ended, told.reason = c.ended, c.reason
	}
	return told
}

func (p *inProcess) storyOf(contactID string) contactStory {
	c := p.byID[contactID]
	if c == nil {
		return contactStory{}
	}
	return c.story(time.Now())
}

// flowEnds implements telephone; the reason is the emulator's for a call that is hung up by hand.
func (p *inProcess) flowEnds(contactID string) {
	if c := p.byID[contactID]; c != nil && time.Now().Before(c.ended) && !c.story(time.Now()).connected.IsZero() {
		c.ended, c.reason = time.Now(), "CUSTOMER_DISCONNECT"
	}
}
