package lambda

import (
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAnIncompleteOrNegativeOptionIsRefusedByName(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*Options){
		"lambda.concurrency": func(o *Options) { o.Concurrency = -1 },
		"lambda.margin":      func(o *Options) { o.Margin = -time.Second },
		"lambda.reserve":     func(o *Options) { o.Reserve = -time.Second },
		"sweep.limit":        func(o *Options) { o.SweepLimit = -1 },
		"ledger.driver":      func(o *Options) { o.Mode = "" },
		"lambda":             func(o *Options) { o.Keys = nil },
	}
	for field, change := range cases {
		c := &core{}
		options := Options{Placer: c, Keys: c, Clock: bubbleClock{}, Observer: &diary{}, Mode: call.ModeNone}
		change(&options)
		_, err := New(options)
		if refusal, ok := errors.AsType[*call.Error](err); !ok || refusal.Code != call.CodeConfiguration || refusal.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}
