package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// The two worlds.
const (
	Full  = "full"  // SQLite, the SDK's client, the emulator over HTTP
	Light = "light" // the ledger in memory, a telephone in the process
)

// Setting is what stays the same during one life. Its text form is the first line of a transcript.
type Setting struct {
	World  string // Full or Light
	Resend string // profiles.*.resend: token, evidence, never

	Window   string        // profiles.*.window
	Reopen   string        // profiles.*.window_reopen: dated, any
	Attempts int           // profiles.*.max_attempts; 0 means no limit
	Deadline string        // profiles.*.deadline; empty means none
	Longest  string        // profiles.*.longest_call; empty means the default
	Template bool          // tokens are made by a template, and must be checked for uniqueness
	Workers  int           // processes on the ledger; SQLite allows one
	Sweeper  bool          // one runs, as a schedule does
	Serial   bool          // lambda.concurrency 1
	Remember bool          // placed calls are remembered by the process
	Create   bool          // a row is created before it is looked up, as on DynamoDB
	Hints    string        // HintsNone, or what becomes of those that are given
	Kinds    bool          // chats and tasks beside calls, with the same ids; in a full world
	ChatTime string        // contact_duration of chats; empty means the default
	TaskTime string        // contact_duration of tasks
	Network  NetworkSwitch // the telephone network
	After    AfterSwitch   // what comes after a ring, and what keeps one
}

// NetworkSwitch is what Amazon Connect does not tell about itself.
type NetworkSwitch struct {
	Reading    connectemu.Reading
	OnRefusal  connectemu.TokenEffect
	OnThrottle connectemu.TokenEffect
	Mismatch   connectemu.SameToken // a live token with another body
	Signature  time.Duration        // how far X-Amz-Date may be from its clock
	Concurrent int                  // contacts that may be alive at once
	Completed  bool                 // SearchContacts shows contacts only when they ended
	Unseen     time.Duration        // how long SearchContacts does not show them

	Shared        bool          // one token means one contact, whatever its kind
	DigitalToken  time.Duration // how long a token of a chat or a task is remembered; 0 means 7 days, connectemu.Off never
	DigitalActive int           // chats, and tasks, that may be active at once; 0 means the documented numbers
	DigitalLasts  time.Duration // how long a chat or a task lasts; 0 means the documented times
}

// DefaultSetting is the setting of a transcript that names nothing: a light world with one worker, a sweeper, and the documented network.
func DefaultSetting() Setting {
	return Setting{
		World: Light, Resend: "token", Window: "30d", Reopen: "dated", Workers: 1, Sweeper: true, Serial: true, Hints: HintsNone,
		After:   AfterSwitch{Outcome: "off", Dialing: "pinned", Country: "81", Fates: FatesByNumber},
		Network: NetworkSwitch{Signature: 5 * time.Minute, Concurrent: connectemu.DefaultMaxConcurrentCalls},
	}
}

// field is one switch in the text form.
type field struct {
	name string
	get  func(*Setting) string
	set  func(*Setting, string) error
}

func text(name string, at func(*Setting) *string, of ...string) field {
	return field{name, func(s *Setting) string { return *at(s) }, func(s *Setting, v string) error {
		if len(of) > 0 && !slices.Contains(of, v) {
			return fmt.Errorf("%s must be one of %s", name, strings.Join(of, ", "))
		}
		*at(s) = v
		return nil
	}}
}

func yes(name string, at func(*Setting) *bool) field {
	return field{name, func(s *Setting) string { return strconv.FormatBool(*at(s)) }, func(s *Setting, v string) (err error) {
		*at(s), err = strconv.ParseBool(v)
		return err
	}}
}

func number(name string, at func(*Setting) *int) field {
	return field{name, func(s *Setting) string { return strconv.Itoa(*at(s)) }, func(s *Setting, v string) (err error) {
		*at(s), err = strconv.Atoi(v)
		return err
	}}
}

func span(name string, at func(*Setting) *time.Duration) field {
	return field{name, func(s *Setting) string { return at(s).String() }, func(s *Setting, v string) (err error) {
		*at(s), err = parseSpan(v)
		return err
	}}
}

// word is a switch of the emulator that knows its own words.
func word[T interface {
	comparable
	String() string
}](name string, at func(*Setting) *T, of ...T) field {
	return field{name, func(s *Setting) string { return (*at(s)).String() }, func(s *Setting, v string) error {
		for _, x := range of {
			if x.String() == v {
				*at(s) = x
				return nil
			}
		}
		return fmt.Errorf("%s cannot be %q", name, v)
	}}
}

func fields() []field {
	effects := []connectemu.TokenEffect{connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent}
	return append([]field{
		text("world", func(s *Setting) *string { return &s.World }, Full, Light),
		text("resend", func(s *Setting) *string { return &s.Resend }, "token", "evidence", "never"),
		word("reading", func(s *Setting) *connectemu.Reading { return &s.Network.Reading }, connectemu.A1, connectemu.A1Prime),
		text("window", func(s *Setting) *string { return &s.Window }),
		text("reopen", func(s *Setting) *string { return &s.Reopen }, "dated", "any"),
		number("attempts", func(s *Setting) *int { return &s.Attempts }),
		text("deadline", func(s *Setting) *string { return &s.Deadline }),
		text("longest", func(s *Setting) *string { return &s.Longest }),
		yes("template", func(s *Setting) *bool { return &s.Template }),
		number("workers", func(s *Setting) *int { return &s.Workers }),
		yes("sweeper", func(s *Setting) *bool { return &s.Sweeper }),
		yes("serial", func(s *Setting) *bool { return &s.Serial }),
		yes("remember", func(s *Setting) *bool { return &s.Remember }),
		yes("create-first", func(s *Setting) *bool { return &s.Create }),
		text("hints", func(s *Setting) *string { return &s.Hints }, append(Lots(), HintsNone)...),
		yes("kinds", func(s *Setting) *bool { return &s.Kinds }),
		text("chat-time", func(s *Setting) *string { return &s.ChatTime }),
		text("task-time", func(s *Setting) *string { return &s.TaskTime }),
		word("on-refusal", func(s *Setting) *connectemu.TokenEffect { return &s.Network.OnRefusal }, effects...),
		word("on-throttle", func(s *Setting) *connectemu.TokenEffect { return &s.Network.OnThrottle }, effects...),
		word("mismatch", func(s *Setting) *connectemu.SameToken { return &s.Network.Mismatch }, connectemu.ReturnExisting, connectemu.RefuseMismatch),
		span("signature", func(s *Setting) *time.Duration { return &s.Network.Signature }),
		number("concurrent", func(s *Setting) *int { return &s.Network.Concurrent }),
		yes("search-completed", func(s *Setting) *bool { return &s.Network.Completed }),
		span("search-delay", func(s *Setting) *time.Duration { return &s.Network.Unseen }),
		yes("tokens-shared", func(s *Setting) *bool { return &s.Network.Shared }),
		span("digital-token", func(s *Setting) *time.Duration { return &s.Network.DigitalToken }),
		number("digital-active", func(s *Setting) *int { return &s.Network.DigitalActive }),
		span("digital-lasts", func(s *Setting) *time.Duration { return &s.Network.DigitalLasts }),
	}, afterFields()...)
}

// String returns "world" and every switch that differs from [DefaultSetting].
func (s Setting) String() string {
	var b strings.Builder
	b.WriteString("world")
	usual := DefaultSetting()
	for _, f := range fields() {
		if v := f.get(&s); v != f.get(&usual) || f.name == "world" {
			b.WriteByte(' ')
			if f.name != "world" {
				b.WriteString(f.name + "=")
			}
			b.WriteString(v)
		}
	}
	return b.String()
}

// ParseSetting reads what String wrote.
func ParseSetting(line string) (Setting, error) {
	s := DefaultSetting()
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "world" {
		return s, fmt.Errorf("a setting begins with the word world, not %q", line)
	}
	for i, w := range words[1:] {
		name, v, valued := strings.Cut(w, "=")
		if i == 0 && !valued {
			name, v = "world", w
		}
		known := false
		for _, f := range fields() {
			if f.name == name {
				known = true
				if err := f.set(&s, v); err != nil {
					return s, fmt.Errorf("setting %s: %w", name, err)
				}
			}
		}
		if !known {
			return s, fmt.Errorf("there is no setting %q", name)
		}
	}
	return s, nil
}
