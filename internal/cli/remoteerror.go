package cli

import (
	"context"
	"errors"
	"net/http"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// told turns an error of a service's client into one of the command line, with the exit code that the same refusal has beside a ledger.
func (r *remote) told(err error) error {
	_, ours := errors.AsType[*call.Error](err) // in our words already
	if err == nil || ours || errors.Is(err, context.Canceled) {
		return err
	}
	if problem, ok := errors.AsType[*client.Error](err); ok {
		if problem.Code == string(call.CodeNotFound) && !r.orders {
			return errUnknownCall()
		}
		return &complaint{exitOfProblem(problem), plain(problem.Detail), plain(problem.Fix)}
	}
	return failed("The service at "+r.address+" cannot be asked: "+plain(err.Error())+".", "Look whether it runs, and whether the address is right.")
}

// exitOfProblem says how a problem that a service told ends the process.
func exitOfProblem(e *client.Error) int {
	if code, listed := codeExits[call.Code(e.Code)]; listed {
		return code
	}
	switch {
	case e.Code == "idempotency_mismatch":
		return ExitConflict
	case e.Status == http.StatusUnauthorized:
		return ExitUsage // the key is wrong
	case e.Retry():
		return ExitEnvironment
	}
	return ExitRefused
}
