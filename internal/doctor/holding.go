package doctor

import "strings"

// Holding is what a ledger tells of the calls that it keeps from ringing.
type Holding struct {
	Name     string   // of the ledger
	OtherKey bool     // the do-not-call list was made with another key than the configured one
	Paused   []string // what is paused, since when, by whom and why
}

// JudgeHolding judges what keeps calls from ringing whatever their requests say.
func JudgeHolding(h Holding) []Finding {
	what := "Nothing is paused in the ledger."
	if len(h.Paused) > 0 {
		what = "Paused: " + strings.Join(h.Paused, "; ") + "."
	}
	key := "The key of the do-not-call list is the configured one, or there is no list yet."
	if h.OtherKey {
		key = "The do-not-call list was made with another key than the configured one."
	}
	return []Finding{
		judge(!h.OtherKey, Fault, Finding{
			Check: "do-not-call", Subject: h.Name, What: key, Why: "Nobody on it would be found, so calls wait instead (gate_unavailable).",
			Fix: "Configure do_not_call.key_file or key_secret with the key that it was made with; it cannot change.",
		}),
		judge(len(h.Paused) == 0, Warning, Finding{
			Check: "paused", Subject: h.Name, What: what, Why: "These calls are accepted and wait until a person resumes them, or until their notAfter.", Fix: "If it is over: ringonce resume.",
		}),
	}
}
