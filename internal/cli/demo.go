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
	Keep    string `placeholder:"DIR" type:"path" help:"Keep the ledger in this directory, with a configuration that opens it and the truth log of the telephone, instead of a temporary one."`
}

// drawingPause is how long each drawing stays on a terminal.
const drawingPause = 120 * time.Millisecond

// Run implements the command: exit code 0 only when the numbers hold.
func (c *demoCommand) Run(ctx context.Context, env *environment) (err error) {
	if err := c.check(); err != nil {
		return err
	}
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
	screen := &demo.Screen{Out: env.Stdout, Size: terminalSize(env.Stdout), Pause: drawingPause}
	verdict, err := demo.Run(ctx, demo.Options{
		Seed: c.Seed, Reading: c.Reading, Resend: c.Resend, Break: demo.Break(c.Break), Dir: dir, Keep: c.Keep != "",
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

// check refuses what could not show anything.
func (c *demoCommand) check() error {
	token := demo.Break(c.Break) == demo.BreakRandomToken || demo.Break(c.Break) == demo.BreakSDKToken
	if token && c.Resend != "token" {
		return misused("--break "+c.Break+" shows nothing with --resend "+c.Resend+", which does not rely on the token.", "Leave --resend out, or break something else.")
	}
	if c.Keep != "" && demo.HasLedger(c.Keep) {
		return misused("The directory of --keep ("+c.Keep+") holds the ledger of an earlier run, which would answer every request.", "Name an empty directory, or read that ledger with --config "+demo.ConfigPath(c.Keep)+".")
	}
	return nil
}
