package outcome

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Told is what one contact event, or one answer of DescribeContact, says of a contact. Stamps that are unset are zero, or of the year 1970, as
// Amazon Connect writes them in events (facts/amazon-connect.md section 5).
type Told struct {
	Initiated    time.Time
	Connected    time.Time // connectedToSystemTimestamp
	Queued       time.Time // queueInfo.enqueueTimestamp
	Agent        time.Time // agentInfo.connectedToAgentTimestamp
	Disconnected time.Time
	Updated      time.Time // lastUpdateTimestamp
	Reason       string    // disconnectReason
	Machine      string    // answeringMachineDetectionStatus
}

// longestWord bounds a word that is kept as text. The longest of today has 36 letters.
const longestWord = 64

// Sight returns what is told in the form that the ledger keeps. A word is as old as the last update of its contact, or where that is not
// told, as the newest stamp beside it, so that of two words for one thing the newer counts.
func (t Told) Sight() call.Sight {
	s := call.Sight{
		Initiated: set(t.Initiated), Connected: set(t.Connected), Queued: set(t.Queued), Agent: set(t.Agent), Disconnected: set(t.Disconnected),
	}
	at := set(t.Updated)
	if at.IsZero() {
		for _, stamp := range []time.Time{s.Initiated, s.Connected, s.Queued, s.Agent, s.Disconnected} {
			if stamp.After(at) {
				at = stamp
			}
		}
	}
	s.Reason, s.Machine = remark(t.Reason, at), remark(t.Machine, at)
	return s
}

// set returns a stamp in UTC, or the zero time for one that is not set.
func set(at time.Time) time.Time {
	if at.Year() <= 1970 {
		return time.Time{}
	}
	return at.UTC()
}

func remark(word string, at time.Time) call.Remark {
	word = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, word)
	if word == "" {
		return call.Remark{}
	}
	return call.Remark{Text: word[:min(len(word), longestWord)], At: at}
}
