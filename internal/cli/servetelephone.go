package cli

import (
	"context"
	"net"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
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
	config, err := app.Embedded(dir, app.Telephone{
		Endpoint: "http://" + t.api, Region: connectemu.DefaultRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: connectemu.DefaultFlow,
		SourcePhone: "+12025550100",
	})
	return t, config, err
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
