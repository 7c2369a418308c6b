package sim

import (
	"context"
	"fmt"
	"strings"
)

// Script is a transcript: a setting, acts, and between them what the world shows.
//
//	# comment
//	world light resend=token
//	publish m1 r1 key=n1 at=now
//	deliver m1; crash after dial
//	ledger
//	----
//	n1 dialing, 1 attempt, 1 open, due in 1m0s (now)
//
// What follows ---- up to an empty line is what the command before it must answer.
type Script struct {
	Setting Setting
	Steps   []Step
}

// Step is one line of a transcript with what belongs to it.
type Step struct {
	Text string // comments and empty lines before the act, and the act
	Act  Act    // no verb for what only shows something, and for text at the end
	Show string
	Want string
}

// ParseScript reads a transcript.
func ParseScript(text string) (Script, error) {
	s := Script{Setting: DefaultSetting()}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	before := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		step := Step{Text: before + lines[i] + "\n"}
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			before = step.Text
			continue
		case strings.HasPrefix(line, "world"):
			setting, err := ParseSetting(line)
			if err != nil {
				return s, fmt.Errorf("line %d: %w", i+1, err)
			}
			s.Setting = setting
		case shows[strings.Fields(line)[0]] != nil:
			step.Show = line
			if i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "----" {
				for i += 2; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
					step.Want += strings.TrimSpace(lines[i]) + "\n"
				}
				i--
			}
		default:
			act, err := ParseAct(line)
			if err != nil {
				return s, fmt.Errorf("line %d: %w", i+1, err)
			}
			step.Act = act
		}
		before = ""
		s.Steps = append(s.Steps, step)
	}
	if before != "" {
		s.Steps = append(s.Steps, Step{Text: before})
	}
	return s, nil
}

// Play lives a transcript and returns it with the world's own answers, which are the same text when everything is as it says. An act that makes
// no sense is an error. It is called inside a bubble.
func (s Script) Play(ctx context.Context, o Options) (played string, w *World, err error) {
	if o.Seed == 0 {
		o.Seed = 1
	}
	w, err = New(s.Setting, o)
	if err != nil {
		return "", nil, err
	}
	defer w.Close()
	var b strings.Builder
	for _, step := range s.Steps {
		b.WriteString(step.Text)
		switch {
		case step.Show != "":
			words := strings.Fields(step.Show)
			b.WriteString("----\n" + shows[words[0]](w, words[1:]))
		case step.Act.Verb != "":
			if err := w.Do(ctx, step.Act); err != nil {
				return b.String(), w, err
			}
		}
	}
	return b.String(), w, nil
}

// Acts returns the acts of a transcript.
func (s Script) Acts() (acts []Act) {
	for _, step := range s.Steps {
		if step.Act.Verb != "" {
			acts = append(acts, step.Act)
		}
	}
	return acts
}

// NewScript writes acts down as a transcript that ends with what there is to see.
func NewScript(comment string, setting Setting, acts []Act) string {
	var b strings.Builder
	for line := range strings.SplitSeq(comment, "\n") {
		b.WriteString("# " + line + "\n")
	}
	b.WriteString(setting.String() + "\n\n")
	for _, a := range acts {
		b.WriteString(a.String() + "\n")
	}
	return b.String() + "ledger\n----\n\nrings\n----\n\nverdict\n----\n"
}
