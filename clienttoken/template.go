package clienttoken

import (
	"strings"
	"unicode/utf8"
)

// segment is a stretch of a template: literal text or the name of a placeholder.
type segment struct {
	text        string
	placeholder bool
}

// pattern is a template taken apart once, when the Maker is made.
type pattern struct {
	segments []segment
	has      map[string]bool // the placeholders that occur
}

func parseTemplate(template string) (*pattern, error) {
	if template == "" {
		return nil, fail(CodeTemplateMissing, fieldTemplate, "the recipe template needs a template",
			`set one such as "call-{notificationId}-{recipientId}"`)
	}
	if !utf8.ValidString(template) {
		return nil, fail(CodeTemplateNotUTF8, fieldTemplate, "the template is not valid UTF-8", "write it as UTF-8 text")
	}
	if hasControl(template) {
		return nil, fail(CodeTemplateControlCharacter, fieldTemplate, "the template holds a control character",
			"remove line breaks, tabs and other control characters from it")
	}
	segments, ok := splitTemplate(template)
	if !ok {
		return nil, fail(CodeTemplateMalformed, fieldTemplate, "the template has a brace that is not part of a placeholder",
			"write placeholders as {name} and no other braces")
	}
	p := &pattern{segments: segments, has: make(map[string]bool, len(segments))}
	return p, p.checkPlaceholders()
}

// splitTemplate cuts a template at its placeholders; ok is false when a brace is
// left over or nested.
func splitTemplate(rest string) (segments []segment, ok bool) {
	for rest != "" {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			return append(segments, segment{text: rest}), true
		}
		if rest[open] == '}' {
			return nil, false
		}
		if open > 0 {
			segments = append(segments, segment{text: rest[:open]})
		}
		rest = rest[open+1:]
		end := strings.IndexAny(rest, "{}")
		if end < 0 || rest[end] == '{' {
			return nil, false
		}
		segments = append(segments, segment{text: rest[:end], placeholder: true})
		rest = rest[end+1:]
	}
	return segments, true
}

// checkPlaceholders fills p.has and refuses a template that cannot tell two
// recipients or two notifications apart.
func (p *pattern) checkPlaceholders() error {
	for _, s := range p.segments {
		if !s.placeholder {
			continue
		}
		switch s.text {
		case fieldNotificationID, fieldRecipientID, fieldRecallID, fieldKeySpace:
			p.has[s.text] = true
		default:
			return fail(CodePlaceholderUnknown, fieldTemplate, "the template has a placeholder that is not known",
				"use {notificationId}, {recipientId}, {recallId} and {keySpace} only")
		}
	}
	for _, name := range []string{fieldNotificationID, fieldRecipientID} {
		if !p.has[name] {
			return fail(CodeTemplateIDMissing, fieldTemplate, "the template lacks {"+name+"}, so different requests would share a token",
				"add {"+name+"} to the template")
		}
	}
	return nil
}

// token fills the template. The ids of in have been checked.
func (p *pattern) token(in *Input) (string, error) {
	if in.KeySpace != "" && !p.has[fieldKeySpace] {
		return "", fail(CodeTemplateKeySpaceMissing, fieldTemplate, "the template lacks {keySpace} and the key space is named",
			"add {keySpace} to the template")
	}
	if in.RecallID != "" && !p.has[fieldRecallID] {
		return "", fail(CodeTemplateRecallIDMissing, fieldTemplate,
			"the request has a recallId and the template lacks {recallId}, so the re-call would get the token of the first call",
			"add {recallId} to the template, use one for re-calls only, or choose the recipe sha256")
	}
	var b strings.Builder
	for _, s := range p.segments {
		if !s.placeholder {
			b.WriteString(s.text)
			continue
		}
		value := placeholderValue(in, s.text)
		if value == "" {
			return "", fail(CodePlaceholderEmpty, s.text, "the template contains {"+s.text+"} and the request has no "+s.text,
				"send "+s.text+" or remove {"+s.text+"} from the template")
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

func placeholderValue(in *Input, name string) string {
	switch name {
	case fieldNotificationID:
		return in.NotificationID
	case fieldRecipientID:
		return in.RecipientID
	case fieldRecallID:
		return in.RecallID
	case fieldKeySpace:
		return in.KeySpace
	}
	return ""
}
