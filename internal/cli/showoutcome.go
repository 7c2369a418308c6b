package cli

import "github.com/ringonce/ringonce/internal/timeline"

// contactLines write what became of a call's contact.
func (s shown) contactLines(line func(name, value string)) {
	if s.Outcome != "" {
		line("outcome", string(s.Outcome)+": "+s.Outcome.Sentence())
	}
	if s.Sight == nil {
		return
	}
	for _, m := range timeline.Moments(*s.Sight) {
		line(m.Name, stamp(m.At))
	}
	line("ended with", s.Sight.Reason.Text)
	line("machine", s.Sight.Machine.Text)
}
