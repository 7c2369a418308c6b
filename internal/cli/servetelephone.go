package cli

import (
	"context"
	"errors"
	"net"
	"path/filepath"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// telephone is the emulator inside a service that nobody configured. It forgets what rang when the process ends; the ledger does not.
type telephone struct {
	api, page string // addresses
	end       context.CancelFunc
	ended     chan error
}

// embed starts a telephone and returns it with the configuration of a service that rings it. The telephone is also returned beside an error.
func (e *environment) embed(ctx context.Context) (*telephone, *app.Config, error) {
	dir, err := app.DataDirectory(e.LookupEnv)
	if err != nil {
		return nil, nil, err
	}
	t, err := e.startTelephone(ctx)
	if err != nil {
		return nil, nil, err
	}
	config, err := embedded(dir, t.api)
	return t, config, err
}

// beginAnew says how to go on where the ledger of a service that nobody configured was removed or replaced. Nothing real rang there, and there is no configuration
// to recover it by.
func (s *serving) beginAnew(ctx context.Context, err error) error {
	told, known := errors.AsType[*call.Error](err)
	if s.embedded == nil || !known || told.Code != call.CodeLedgerWentBack {
		return err
	}
	witness, unnamed := s.config.WitnessPath(ctx, app.Options{LookupEnv: s.LookupEnv, Environ: s.Environ})
	if unnamed != nil {
		return err
	}
	dir := filepath.Dir(s.config.Ledger.Path)
	return &call.Error{Code: told.Code, Field: told.Field, Message: told.Message, Fix: "No real phone rang here: to begin anew, remove " + dir + " and the witness " + witness + "."}
}

// embedded is the configuration of a service that nobody configured, with its telephone at an address.
func embedded(dir, address string) (*app.Config, error) {
	return app.Embedded(dir, app.Telephone{
		Endpoint: "http://" + address, Region: connectemu.DefaultRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: connectemu.DefaultFlow,
		SourcePhone: "+12025550100",
	})
}

// standing returns the configuration, or where none is named that of the service that nobody configured, for commands that only read what it left. Its telephone
// lives and ends with that service, on a port that nobody else is told, so the address here is one where nobody listens.
func (e *environment) standing() (*app.Config, error) {
	if e.hasConfig() {
		return e.config()
	}
	dir, err := app.DataPath(e.LookupEnv)
	if err != nil {
		return nil, err
	}
	c, err := embedded(dir, "127.0.0.1:1")
	if err != nil {
		return nil, err
	}
	if err := ledgerExists(c); err != nil {
		return nil, misused("No configuration is named, and no service has run here without one.", "Name one with --config, or in the variable "+app.ConfigVariable+"; docs/configuration.md describes it.")
	}
	return c, nil
}

// startTelephone serves an emulator on two free ports of the loopback interface. It ends when it is stopped, not with ctx.
func (e *environment) startTelephone(ctx context.Context) (*telephone, error) {
	living, end := context.WithCancel(context.WithoutCancel(ctx))
	t := &telephone{end: end, ended: make(chan error, 1)}
	ready := make(chan struct{})
	go func() {
		t.ended <- connectemu.Serve(living, connectemu.Options{
			Addr: "127.0.0.1:0", ManagementAddr: "127.0.0.1:0",
			Config: connectemu.Config{Logger: e.log(app.Log{Level: "warn"}, true), Clock: connectemu.NewRunningClock()},
			Ready: func(api, management net.Addr) {
				t.api, t.page = api.String(), management.String()
				close(ready)
			},
		})
	}()
	select {
	case <-ready:
		return t, nil
	case err := <-t.ended:
		end()
		return nil, failed("The emulator inside this process cannot be served: "+bare(err)+".", "Name a configuration with --config.")
	}
}

// stop ends the telephone.
func (t *telephone) stop() error {
	t.end()
	return <-t.ended
}
