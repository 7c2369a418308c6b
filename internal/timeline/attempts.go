package timeline

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Attempt is one wire request for a call, as the history tells it.
type Attempt struct {
	ID        string     `json:"id"`
	OpenedAt  time.Time  `json:"openedAt"` // when the intent was durable
	LeaseEnd  time.Time  `json:"leaseEnd"`
	Answered  time.Time  `json:"answeredAt,omitzero"` // zero: its process never reported an answer
	TookMS    int64      `json:"tookMs,omitempty"`    // of the wire request
	Outcome   call.Class `json:"outcome,omitempty"`
	Code      call.Code  `json:"code,omitempty"`
	Message   string     `json:"message,omitempty"`
	ContactID string     `json:"contactId,omitempty"`
	Phantom   bool       `json:"phantom,omitempty"` // stands for attempts that a restore may have forgotten

	Took time.Duration `json:"-"`
}

// Attempts collects the attempts of a history. The last report of an attempt is the one that counts.
func Attempts(events []call.Event) []Attempt {
	attempts := []Attempt{}
	place := map[string]int{}
	for _, event := range events {
		if event.Attempt != nil {
			place[event.Attempt.ID] = len(attempts)
			attempts = append(attempts, Attempt{
				ID: event.Attempt.ID, OpenedAt: event.Attempt.Opened, LeaseEnd: event.Attempt.LeaseEnd, Phantom: event.Attempt.Phantom,
			})
		}
		if i, known := place[event.AttemptID]; known && event.Kind == call.EventResult {
			a := &attempts[i]
			a.Answered, a.Took, a.TookMS, a.Outcome = event.At, event.Took, event.Took.Milliseconds(), event.Class
			a.Code, a.Message, a.ContactID = event.Code, event.Message, event.ContactID
		}
	}
	return attempts
}

// Words says what an attempt was answered.
func (a Attempt) Words() string {
	text := ""
	switch a.Outcome {
	case call.ClassOpen:
		if a.Phantom {
			return "may have been made between the backup and the restore of the ledger; nothing is known about it"
		}
		return "no answer was recorded: it may still be on its way, or its process ended"
	case call.ClassOK:
		return "contact " + a.ContactID
	case call.ClassAmbiguous:
		text = "answer lost: the phone may have rung"
	case call.ClassRefusedRequest:
		text = "refused: no phone rang"
	case call.ClassRefusedSetup:
		text = "refused for the setup of this instance or account: no phone rang"
	case call.ClassThrottled:
		text = "throttled: no phone rang"
	case call.ClassNotSent:
		text = "not sent: no phone rang"
	}
	return text + Because(a.Code, a.Message)
}

// Because appends a code and its sentence.
func Because(code call.Code, message string) string {
	switch {
	case code == "" && message == "":
		return ""
	case message == "":
		return " (" + string(code) + ")"
	case code == "":
		return ": " + message
	}
	return " (" + string(code) + ": " + message + ")"
}
