package dialtest

import (
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// candidate is a dialer under examination, and the kind of contacts it is examined with.
type candidate struct {
	open Opener
	kind call.Kind
}

// question is one check, for every kind.
type question struct {
	name string
	run  func(tb testing.TB, c candidate)
}

// of returns the check of one kind. Those of voice have the bare name.
func (q question) of(kind call.Kind) Check {
	name := q.name
	if kind != call.KindVoice {
		name += " (" + string(kind) + ")"
	}
	return Check{name, func(tb testing.TB, open Opener) { tb.Helper(); q.run(tb, candidate{open, kind}) }}
}

// channel is that of the lab's contacts.
func (l *Lab) channel() connectemu.Channel {
	switch l.kind {
	case call.KindChat:
		return connectemu.ChannelChat
	case call.KindTask:
		return connectemu.ChannelTask
	case call.KindVoice:
	}
	return connectemu.ChannelVoice
}

// operation is the one that starts the lab's contacts.
func operation(kind call.Kind) connectemu.Operation {
	switch kind {
	case call.KindChat:
		return connectemu.OpStartChat
	case call.KindTask:
		return connectemu.OpStartTask
	case call.KindVoice:
	}
	return connectemu.OpStart
}

// path is that of the operation.
func path(kind call.Kind) string {
	switch kind {
	case call.KindChat:
		return "/contact/chat"
	case call.KindTask:
		return "/contact/task"
	case call.KindVoice:
	}
	return "/contact/outbound-voice"
}

// rate sets the bucket of the operation that starts contacts of the kind.
func rate(cfg *connectemu.Config, kind call.Kind, r connectemu.Rate) {
	switch kind {
	case call.KindChat:
		cfg.Chats.Rate = r
	case call.KindTask:
		cfg.Tasks.Rate = r
	case call.KindVoice:
		cfg.StartRate = r
	}
}
