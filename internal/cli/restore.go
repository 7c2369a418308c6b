package cli

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
)

// restoreCommand puts a backup in the place of a ledger.
type restoreCommand struct {
	From string `required:"" placeholder:"FILE" type:"path" help:"The file that ringonce backup made; it stays as it is."`
	Yes  bool   `help:"Do it; without this flag the backup is only checked."`
}

// Run implements the command.
func (x *restoreCommand) Run(ctx context.Context, e *environment) error {
	config, err := e.config()
	if err != nil {
		return err
	}
	options := e.surroundings()
	options.Random = e.Random
	identity, kept, err := config.Restore(ctx, options, stores.Restore, app.RestoreRequest{
		From: x.From, Suffix: ".before-" + e.Clock.Now().UTC().Format("20060102T150405Z"), Look: !x.Yes,
	})
	if err != nil {
		return err
	}
	if !x.Yes {
		if _, err := fmt.Fprintf(e.Stdout, `%s is a sound backup of ledger %s, with writes until %s
Restored, it forgets every ring since then. Stop every worker that holds messages first. Then run it with --yes.
`, plain(x.From), identity.ID, stamp(identity.LastWrite)); err != nil {
			return err
		}
		return ended(ExitRefused)
	}
	before := "There was no file before."
	if kept != "" {
		before = "The file before is kept as " + plain(kept) + "; it holds phone numbers and may show what rang since, so delete it when the recovery is closed."
	}
	_, err = fmt.Fprintf(e.Stdout, `ledger %s is restored from %s, with writes until %s
%s

It has forgotten every ring since. Where there was any, it is refused until it was recovered. Next: ringonce ledger recover
`, identity.ID, plain(x.From), stamp(identity.LastWrite), before)
	return err
}
