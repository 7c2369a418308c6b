package cli

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/ringonce/ringonce/internal/demo"
)

// demoCommand plays the demonstration. It needs no configuration and no account.
type demoCommand struct {
	Seed    uint64 `default:"1" help:"Seed of every random choice; one seed gives one run."`
	Reading string `default:"A1" enum:"A1,A1'" help:"Reading of the ClientToken: A1 (today's text) or A1' (until 2021: a repeat may ring once the contact has ended)."`
	Resend  string `default:"token" enum:"token,evidence,never" help:"Policy for an attempt whose answer was lost: token, evidence or never."`
	Break   string `default:"" enum:",no-intent,random-token,sdk-token,ack-early" help:"Take a part of the protocol out: no-intent, random-token, sdk-token or ack-early."`
	Keep    string `placeholder:"DIR" type:"path" help:"Keep the ledger in this directory instead of a temporary one."`
}

// drawingPause is how long each drawing stays on a terminal.
const drawingPause = 120 * time.Millisecond

// Run implements the command: exit code 0 only when the numbers hold.
func (c *demoCommand) Run(ctx context.Context, env *environment) (err error) {
	dir := c.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ringonce-demo-"); err != nil {
			return failed("No temporary directory can be made: "+err.Error()+".", "Name one with --keep.")
		}
		defer func() {
			if removeErr := os.RemoveAll(dir); err == nil && removeErr != nil {
				err = failed("The temporary ledger cannot be removed: "+removeErr.Error()+".", "Remove "+dir+" by hand.")
			}
		}()
	}
	screen := &demo.Screen{Out: env.Stdout, Live: isTerminal(env.Stdout), Pause: drawingPause}
	verdict, err := demo.Run(ctx, demo.Options{
		Seed: c.Seed, Reading: c.Reading, Resend: c.Resend, Break: demo.Break(c.Break), Dir: dir,
		Log: slog.New(slog.DiscardHandler), Show: screen,
	})
	if err != nil {
		return err
	}
	if !verdict.Holds() {
		return ended(ExitRefused)
	}
	return nil
}

// isTerminal reports whether a writer draws on a terminal.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
