package doctor

import "slices"

// Level says how bad a finding is.
type Level string

// The levels, from good to bad. A fault breaks a promise or lets nothing ring; a warning will when something else goes wrong; a notice
// is worth knowing; unknown could not be looked at.
const (
	OK      Level = "ok"
	Notice  Level = "notice"
	Unknown Level = "unknown"
	Warning Level = "warning"
	Fault   Level = "fault"
)

// Finding is the outcome of one check. A finding that is not OK says what is so, why it matters and how to mend it.
type Finding struct {
	Check   string `json:"check"`             // stable name of the check, such as visibility
	Level   Level  `json:"level"`             //
	Subject string `json:"subject,omitempty"` // the resource: a name or an ARN
	What    string `json:"what"`              // what was found, with the figures
	Why     string `json:"why,omitempty"`     // what goes wrong, and when
	Fix     string `json:"fix,omitempty"`     // the next step
}

// Worst returns the worst level among the findings; OK when there are none.
func Worst(findings []Finding) Level {
	worst := OK
	for _, f := range findings {
		if f.Level.rank() > worst.rank() {
			worst = f.Level
		}
	}
	return worst
}

// Levels returns every level from good to bad.
func Levels() []Level { return []Level{OK, Notice, Unknown, Warning, Fault} }

// rank counts from good to bad; a word that is no level is as bad as a fault.
func (l Level) rank() int {
	if i := slices.Index(Levels(), l); i >= 0 {
		return i
	}
	return len(Levels())
}
