package service_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/service"
)

func TestAScrapeLooksWhetherTheProcessIsReady(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	s, _, _ := newServer(t, func(o *service.Options) {
		o.Checks = []service.Check{{Name: "ledger", Look: func(context.Context) error {
			if away.Load() {
				return errors.New("planted: it is away")
			}
			return nil
		}}}
	})
	says(t, metrics(s), `ringonce_ready{check="ledger"} 1`, `ringonce_tls_reloads_total{result="failed"} 0`)
	away.Store(true)
	says(t, metrics(s), `ringonce_ready{check="ledger"} 0`)
}
