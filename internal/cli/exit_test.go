package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func TestEverySituationHasAnExitCode(t *testing.T) {
	t.Parallel()
	for _, met := range call.Situations() {
		if _, filled := outcomeExits[met]; !filled {
			t.Errorf("situation %s has no exit code", met)
		}
	}
	if len(outcomeExits) != len(call.Situations()) {
		t.Errorf("the table has %d situations, the core %d", len(outcomeExits), len(call.Situations()))
	}
}

func TestErrorsEndWithTheirExitCode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err  error
		want int
	}{
		"nothing":               {nil, ExitOK},
		"a configuration":       {&call.Error{Code: call.CodeConfiguration}, ExitUsage},
		"a ledger":              {fmt.Errorf("open: %w", &call.Error{Code: call.CodeLedgerUnavailable}), ExitEnvironment},
		"a refusal":             {&call.Error{Code: call.CodeNotFinal}, ExitRefused},
		"a conflict":            {&call.Error{Code: call.CodeConflict}, ExitConflict},
		"somebody was faster":   {&call.Error{Code: call.CodeRingMoved}, ExitConflict},
		"a newer row":           {errors.Join(call.ErrNewerRow, &call.Error{Code: call.CodeConfiguration}), ExitEnvironment},
		"a file of another":     {errors.Join(&call.Error{Code: call.CodeConfiguration}, &fs.PathError{Op: "open", Err: syscall.EACCES}), ExitEnvironment},
		"a token":               {&clienttoken.Error{}, ExitUsage},
		"an emulator's setting": {fmt.Errorf("%w: Addr", connectemu.ErrConfig), ExitUsage},
		"a silent end":          {ended(ExitInDoubt), ExitInDoubt},
		"an end beside another": {errors.Join(ended(ExitInDoubt), nil), ExitInDoubt},
		"anything else":         {errors.New("disk on fire"), ExitEnvironment},
		"an interruption":       {context.Canceled, ExitEnvironment},
	}
	for name, c := range cases {
		if got := exitOf(c.err); got != c.want {
			t.Errorf("%s ends with %d, not %d", name, got, c.want)
		}
	}
}
