package cli

import (
	"context"
	"fmt"
	"os"
)

// backupCommand copies a ledger while it is used.
type backupCommand struct {
	To string `required:"" placeholder:"FILE" type:"path" help:"The file of the copy; it must not exist."`
}

// Run implements the command.
func (x *backupCommand) Run(ctx context.Context, e *environment) (err error) {
	config, err := e.standing()
	if err != nil {
		return err
	}
	a, err := e.openLedgerOf(ctx, config, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	if a.Store.Backup == nil {
		return failed("The ledger "+a.Config.DriverName()+" is not backed up by this command.", "Use the backups of its own service.")
	}
	identity, err := a.Store.Ledger.Identity(ctx)
	if err != nil {
		return err
	}
	if err := a.Store.Backup(ctx, x.To); err != nil {
		return err
	}
	info, err := os.Stat(x.To)
	if err != nil {
		return failed("The backup cannot be looked at.", "Check the disk, and make another one.")
	}
	_, err = fmt.Fprintf(e.Stdout, `ledger %s is copied to %s, %d bytes
It holds phone numbers: keep it as the ledger is kept. Put it back with `+"`ringonce restore`"+`: it has forgotten every ring since now, so it is
refused until `+"`ringonce ledger recover`"+`.
`, identity.ID, plain(x.To), info.Size())
	return err
}
