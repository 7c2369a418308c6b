package cli

import (
	"errors"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// The exit codes. A command that meets several outcomes ends with the highest.
const (
	ExitOK          = 0 // done; also a request that an earlier call answers
	ExitEnvironment = 1 // the ledger, the network, a file, or a defect of ours
	ExitUsage       = 2 // the arguments or the configuration
	ExitRefused     = 3 // a request or an act that will not be done as it is
	ExitInDoubt     = 4 // a phone may have rung and nothing decides it yet
	ExitConflict    = 5 // same key, another request; or somebody else was faster
)

// outcomeExits says how a delivery's situation ends the process that brought it.
var outcomeExits = map[call.Situation]int{
	call.MetReceived:    ExitOK,
	call.MetDialing:     ExitOK,
	call.MetPlaced:      ExitOK,
	call.MetFailed:      ExitRefused,
	call.MetExpired:     ExitRefused,
	call.MetCanceled:    ExitOK,
	call.MetInDoubt:     ExitInDoubt,
	call.MetCancelKept:  ExitOK,
	call.MetConflict:    ExitConflict,
	call.MetRefused:     ExitRefused,
	call.MetStale:       ExitRefused,
	call.MetUnreadable:  ExitRefused,
	call.MetParked:      ExitRefused,
	call.MetTaken:       ExitOK,
	call.MetIgnored:     ExitOK,
	call.MetUnavailable: ExitEnvironment,
	call.MetUnknown:     ExitInDoubt,
	call.MetRetryLater:  ExitEnvironment,
	call.MetNotStarted:  ExitEnvironment,
}

// exitOfOutcome says how the answer to one delivery ends the process that brought it.
func exitOfOutcome(out call.Outcome) int {
	if out.Code == lambda.CodeBatchItemUnnamed {
		return ExitRefused // it would be the same next time
	}
	return outcomeExits[out.Met]
}

// codeExits names the codes that are no plain refusal.
var codeExits = map[call.Code]int{
	call.CodeConfiguration:     ExitUsage,
	call.CodeLedgerUnavailable: ExitEnvironment,
	call.CodeLedgerWentBack:    ExitEnvironment,
	call.CodeBreach:            ExitEnvironment,
	call.CodeConflict:          ExitConflict,
	call.CodeRingMoved:         ExitConflict,
	twoperson.CodeNotPending:   ExitConflict,
	"order_changed":            ExitConflict,

	sqsqueue.CodeQueueUnavailable: ExitEnvironment,
}

// ended ends a command with a code after it has printed everything there is to say.
type ended int

// Error implements error; it is never printed.
func (ended) Error() string { return "ended" }

// endWith returns nil for success.
func endWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return ended(code)
}

// complaint is an error of the command line itself: one sentence, the next step, and how it ends the command.
type complaint struct {
	exit         int
	message, fix string
}

// Error returns the sentence and the next step.
func (c *complaint) Error() string { return c.message + " " + c.fix }

// misused is a mistake in the arguments.
func misused(message, fix string) error { return &complaint{ExitUsage, message, fix} }

// failed is something outside that does not work.
func failed(message, fix string) error { return &complaint{ExitEnvironment, message, fix} }

// exitOf returns the exit code of a command's error.
func exitOf(err error) int {
	if err == nil {
		return ExitOK
	}
	if code, ok := errors.AsType[ended](err); ok {
		return int(code)
	}
	if errors.Is(err, call.ErrNewerRow) || notPermitted(err) {
		return ExitEnvironment
	}
	if e, ok := errors.AsType[*call.Error](err); ok {
		if code, listed := codeExits[e.Code]; listed {
			return code
		}
		return ExitRefused
	}
	if c, ok := errors.AsType[*complaint](err); ok {
		return c.exit
	}
	_, isParse := errors.AsType[*kong.ParseError](err)
	_, isToken := errors.AsType[*clienttoken.Error](err)
	if isParse || isToken || errors.Is(err, connectemu.ErrConfig) {
		return ExitUsage
	}
	return ExitEnvironment
}

// notPermitted reports whether the system refused something that the configuration names rightly: a file of somebody else, a disk
// that is full or read-only.
func notPermitted(err error) bool {
	for _, no := range []syscall.Errno{syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOSPC, syscall.EIO} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
