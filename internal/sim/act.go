package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Act is one thing that happens in a world. Its text form is one line:
//
//	deliver m1 m2 to=B; crash after dial; lose create #2
//
// that is a verb, its words, its named values, and after semicolons what goes wrong meanwhile.
type Act struct {
	Verb    string
	Words   []string
	Values  []Value
	Strikes []Strike
}

// Value is a named value of an act.
type Value struct{ Name, Text string }

// Strike is something that goes wrong in an act: at the nth passage of a point, as often as Times says.
type Strike struct {
	Do    string        // crash, fail, lose, pause, phone, deadline, meanwhile
	Point string        // "before create", "dial"; what a write is called for fail and lose; the fault for phone
	Nth   int           // 1 is the first passage; 0 means 1
	Times int           // fail and lose: how many in a row; 0 means 1
	For   time.Duration // pause, deadline, and the delay of a phone fault
	Act   *Act          // meanwhile
	spent bool
	seen  int
}

// do makes an act; values come as "name=text".
func do(verb string, args ...string) Act {
	a := Act{Verb: verb}
	for _, arg := range args {
		if name, v, valued := strings.Cut(arg, "="); valued {
			a.Values = append(a.Values, Value{name, v})
		} else {
			a.Words = append(a.Words, arg)
		}
	}
	return a
}

// value returns a named value, empty when the act has none.
func (a Act) value(name string) string {
	for _, v := range a.Values {
		if v.Name == name {
			return v.Text
		}
	}
	return ""
}

// String returns the text form.
func (a Act) String() string {
	var b strings.Builder
	b.WriteString(a.Verb)
	for _, w := range a.Words {
		b.WriteString(" " + w)
	}
	for _, v := range a.Values {
		b.WriteString(" " + v.Name + "=" + v.Text)
	}
	for _, s := range a.Strikes {
		b.WriteString("; " + s.String())
	}
	return b.String()
}

// String returns the text form of one strike.
func (s Strike) String() string {
	var b strings.Builder
	b.WriteString(s.Do)
	switch s.Do {
	case "pause":
		fmt.Fprintf(&b, " %s", s.For)
	case "deadline":
		fmt.Fprintf(&b, " %s", s.For)
		return b.String()
	}
	b.WriteString(" " + s.Point)
	if s.Do == "phone" && s.For > 0 {
		fmt.Fprintf(&b, " %s", s.For)
	}
	if s.Nth > 1 {
		fmt.Fprintf(&b, " #%d", s.Nth)
	}
	if s.Times > 1 {
		fmt.Fprintf(&b, " x%d", s.Times)
	}
	if s.Act != nil {
		fmt.Fprintf(&b, " (%s)", s.Act)
	}
	return b.String()
}

// ParseAct reads what String wrote.
func ParseAct(line string) (Act, error) {
	parts := splitOutside(line)
	words := strings.Fields(parts[0])
	if len(words) == 0 {
		return Act{}, fmt.Errorf("an act begins with a verb: %q", line)
	}
	a := do(words[0], words[1:]...)
	for _, part := range parts[1:] {
		s, err := parseStrike(strings.TrimSpace(part))
		if err != nil {
			return a, err
		}
		a.Strikes = append(a.Strikes, s)
	}
	return a, nil
}

// splitOutside cuts at the semicolons that stand in no parentheses.
func splitOutside(line string) (parts []string) {
	depth, from := 0, 0
	for i, r := range line {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ';' && depth == 0:
			parts = append(parts, line[from:i])
			from = i + 1
		}
	}
	return append(parts, line[from:])
}

func parseStrike(part string) (Strike, error) {
	var s Strike
	if i := strings.IndexByte(part, '('); i >= 0 && strings.HasSuffix(part, ")") {
		inner, err := ParseAct(part[i+1 : len(part)-1])
		if err != nil {
			return s, err
		}
		s.Act, part = &inner, part[:i]
	}
	words := strings.Fields(part)
	if len(words) < 2 {
		return s, fmt.Errorf("a strike says what happens and where: %q", part)
	}
	s.Do = words[0]
	var point []string
	for _, w := range words[1:] {
		if err := s.take(w, &point); err != nil {
			return s, err
		}
	}
	s.Point = strings.Join(point, " ")
	if !slices.Contains(strikeWords, s.Do) || (s.Do == "meanwhile") != (s.Act != nil) {
		return s, fmt.Errorf("there is no strike %q", part)
	}
	return s, nil
}

func (s *Strike) take(w string, point *[]string) (err error) {
	switch {
	case w[0] == '#':
		s.Nth, err = strconv.Atoi(w[1:])
	case w[0] == 'x' && len(w) > 1 && w[1] >= '0' && w[1] <= '9':
		s.Times, err = strconv.Atoi(w[1:])
	case w[0] >= '0' && w[0] <= '9':
		s.For, err = parseSpan(w)
	default:
		*point = append(*point, w)
	}
	if err != nil {
		return fmt.Errorf("strike: %w", err)
	}
	return nil
}
