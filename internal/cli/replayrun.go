package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"

	"github.com/ringonce/ringonce/internal/replay"
)

// confirm asks a person before a phone rings. Without a person nothing rings unless --yes was given.
func (r *replaying) confirm() error {
	dials := r.plan.Dials()
	if dials == 0 || r.Yes {
		return nil
	}
	calls := plural(dials, "phone call would be made", "phone calls would be made")
	if !typed(r.e.Stdin) {
		return &complaint{ExitRefused, calls + ", and nobody is here to confirm that.", "Look with --dry-run, or run again with --yes."}
	}
	return ask(r.e.Stdin, r.e.Stderr, calls, dials)
}

// ask lets a person type the number of phone calls.
func ask(in io.Reader, out io.Writer, calls string, dials int) error {
	fmt.Fprintf(out, "%s. Type %d to go on: ", calls, dials)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != strconv.Itoa(dials) {
		return &complaint{ExitRefused, "Not confirmed: nothing was done.", "Type the number of phone calls to go on."}
	}
	return nil
}

// run places the records and reports what became of them.
func (r *replaying) run(ctx context.Context) error {
	var source replay.Source
	if r.queue != nil {
		source = r.queue
	}
	bar := r.progress()
	on := performing{r.app.Handler.Sequence(r.SourceARN)}
	var again func() replay.Previewer
	if r.app.Engine != nil {
		again = func() replay.Previewer { return r.rehearse() }
	}
	r.plan.Run(ctx, on, again, source, func(*replay.Entry) {
		if bar != nil {
			_ = bar.Add(1) // a bar that cannot be drawn stops no replay
		}
	})
	if bar != nil {
		_ = bar.Exit()
	}
	if n := len(r.plan.Waiting()); n > 0 && ctx.Err() == nil {
		fmt.Fprintf(r.e.Stderr, "%s not final yet, and no sweeper runs: waiting for %s. Ctrl-C ends that.\n", plural(n, "call is", "calls are"), itThem(n))
		r.plan.Finish(ctx, r.e.Clock, on, source)
	}
	if err := r.printReport(ctx.Err() != nil); err != nil {
		return err
	}
	worst := ExitOK
	for _, e := range r.plan.Entries {
		worst = max(worst, exitOfEntry(e))
	}
	return endWith(worst)
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// exitOfEntry says how one record ends the process.
func exitOfEntry(e *replay.Entry) int {
	if !e.Done || e.Err != nil {
		return max(ExitEnvironment, exitOfOutcome(e.Outcome))
	}
	return exitOfOutcome(e.Outcome)
}

// progress returns the bar on a terminal, else nil.
func (r *replaying) progress() *progressbar.ProgressBar {
	if terminalSize(r.e.Stderr) == nil || len(r.plan.Entries) == 0 {
		return nil
	}
	return progressbar.NewOptions(len(r.plan.Entries),
		progressbar.OptionSetWriter(r.e.Stderr), progressbar.OptionSetDescription("replay"), progressbar.OptionShowCount(),
		progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(),
	)
}
