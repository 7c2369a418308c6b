package app

import (
	"regexp"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var guid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func (c *Config) guid(field, value string, required bool) error {
	switch {
	case value == "" && !required, guid.MatchString(value):
		return nil
	case value == "":
		return c.refuse(field, "Copy it from the Amazon Connect console.", "is missing.")
	case strings.HasPrefix(value, "arn:"):
		return c.refuse(field, "Use the last part: "+value[strings.LastIndexByte(value, '/')+1:]+".", "is an ARN where a GUID belongs.")
	}
	return c.refuse(field, "Write it as 8-4-4-4-12 hexadecimal digits.", "is no GUID.")
}

var region = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)

// DialsFrom reports whether a profile dials from the instance.
func (c *Config) DialsFrom(t call.Target) bool {
	for _, p := range c.Profiles {
		if p.Region == t.Region && strings.EqualFold(p.InstanceID, t.InstanceID) && t.InstanceID != "" {
			return true
		}
	}
	return false
}

// callProfile returns a profile as the core uses it.
func (c *Config) callProfile(name string) (call.Profile, error) {
	p, field := c.Profiles[name], "profiles."+name
	if err := c.checkKind(p, field); err != nil {
		return call.Profile{}, err
	}
	if !region.MatchString(p.Region) {
		return call.Profile{}, c.refuse(field+".region", "Use the instance's Region, for example ap-northeast-1.", "is missing or no Region.")
	}
	ids := []struct {
		name, value string
		required    bool
	}{{"instance_id", p.InstanceID, true}, {"contact_flow_id", p.ContactFlowID, p.namesFlow()}, {"queue_id", p.QueueID, false}}
	for _, id := range ids {
		if err := c.guid(field+"."+id.name, id.value, id.required); err != nil {
			return call.Profile{}, err
		}
	}
	if p.SourcePhone != "" {
		if _, err := call.ParsePhone(p.SourcePhone); err != nil {
			return call.Profile{}, c.refuse(field+".source_phone", "Write it as + and 2 to 15 digits.", "is no E.164 number.")
		}
	}
	out := call.Profile{
		Name: name, Region: p.Region, InstanceID: p.InstanceID, ContactFlowID: p.ContactFlowID, QueueID: p.QueueID,
		SourcePhone: p.SourcePhone, Resend: call.Resend(p.Resend), MaxAttempts: p.MaxAttempts, RequireDated: p.RequireDated,
		IgnoreAttrs: p.Fingerprint.IgnoreAttributes, Unmarked: p.Mark == "off", RawMarkup: p.Markup == "raw", Paused: p.Paused,
		WindowReopenAny: p.WindowReopen == "any",
		Kind:            call.Kind(p.Kind), DisplayName: p.DisplayName, InitialMessage: p.InitialMessage, Description: p.Description,
		TaskTemplateID: p.TaskTemplateID, QuickConnectID: p.QuickConnectID,
	}
	err := c.fillProfile(&out, p, field)
	return out, err
}

func (c *Config) fillProfile(out *call.Profile, p Profile, field string) error {
	enums := []struct {
		name, value string
		allowed     []string
	}{
		{"resend", p.Resend, []string{"token", "evidence", "never"}},
		{"window_reopen", p.WindowReopen, []string{"dated", "any"}},
		{"mark", p.Mark, []string{"on", "off"}},
		{"markup", p.Markup, []string{"escape", "raw"}},
		{"outcome", p.Outcome, []string{outcomeTrack, outcomeOff}},
	}
	for _, enum := range enums {
		if err := c.oneOf(field+"."+enum.name, enum.value, enum.allowed...); err != nil {
			return err
		}
	}
	if p.Resend == "evidence" && p.Mark == "off" {
		return c.refuse(field+".mark", "Set mark: on, or another resend policy.", "is off, so the evidence that resend: evidence needs cannot be found.")
	}
	if _, err := c.recallRule(p, field); err != nil {
		return err
	}
	if p.MaxAttempts < 0 {
		return c.refuse(field+".max_attempts", "Use 0 for no limit.", "is negative.")
	}
	out.Window.Forever = p.Window == "" || p.Window == "forever"
	window := p.Window
	if out.Window.Forever {
		window = ""
	}
	times := []struct {
		name, value string
		low, high   time.Duration
		to          *time.Duration
	}{
		{"window", window, time.Minute, 0, &out.Window.For},
		{"ring_timeout", p.RingTimeout, 15 * time.Second, time.Minute, &out.RingTimeout},
		{"deadline", p.Deadline, time.Second, 0, &out.Deadline},
		{"longest_call", p.LongestCall, time.Minute, p.longestLast(), &out.LongestCall},
		{"contact_duration", p.ContactDuration, p.shortestLast(), longestContact, &out.ContactDuration},
	}
	for _, t := range times {
		d, err := c.duration(field+"."+t.name, t.value, t.low, t.high)
		if err != nil {
			return err
		}
		*t.to = d
	}
	if out.ContactDuration%time.Minute != 0 {
		return c.refuse(field+".contact_duration", "Use whole minutes.", "is no whole number of minutes.")
	}
	return nil
}
