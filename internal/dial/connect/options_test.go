package connect

import (
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func TestOptionsThatCannotBeUsedAreRefusedByName(t *testing.T) {
	t.Parallel()
	good := Options{Credentials: keys("a", "b"), Clock: connectemu.NewManualClock(time.Unix(0, 0))}
	for name, c := range map[string]struct {
		field string // empty: accepted
		tune  func(*Options)
	}{
		"plain":                        {"", func(*Options) {}},
		"no credentials":               {"connect.credentials", func(o *Options) { o.Credentials = nil }},
		"no clock":                     {"clock", func(o *Options) { o.Clock = nil }},
		"too patient":                  {"connect.timeout", func(o *Options) { o.Timeout = 16 * time.Second }},
		"too hasty":                    {"connect.timeout", func(o *Options) { o.Timeout = 9 * time.Second }},
		"as patient as can be":         {"", func(o *Options) { o.Timeout = 15 * time.Second }},
		"endpoint in production":       {"connect.endpoint", func(o *Options) { o.Endpoint = "http://127.0.0.1:7465" }},
		"endpoint elsewhere":           {"", func(o *Options) { o.NonProduction, o.Endpoint = true, "http://127.0.0.1:7465" }},
		"endpoint without a scheme":    {"connect.endpoint", func(o *Options) { o.NonProduction, o.Endpoint = true, "127.0.0.1:7465" }},
		"endpoint with a user":         {"connect.endpoint", func(o *Options) { o.NonProduction, o.Endpoint = true, "http://u@h" }},
		"endpoint of another protocol": {"connect.endpoint", func(o *Options) { o.NonProduction, o.Endpoint = true, "ftp://h" }},
	} {
		o := good
		c.tune(&o)
		_, err := New(o)
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refused, ok := errors.AsType[*call.Error](err)
		if !ok || refused.Field != c.field || refused.Code != call.CodeConfiguration || refused.Fix == "" {
			t.Errorf("%s: %v, want a refusal of %s", name, err, c.field)
		}
	}
}
