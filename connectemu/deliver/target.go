package deliver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// Options are what all targets of [To] share.
type Options struct {
	// Region requests are signed for. Empty means connectemu.DefaultRegion.
	Region string
	// AccessKey and SecretKey sign requests. Empty means those of the emulator.
	AccessKey, SecretKey string
	// SessionToken goes with temporary credentials. Empty means none.
	SessionToken string
	// AllowNonLoopback permits targets on other machines.
	AllowNonLoopback bool
	// Client sends the requests. Nil means one that follows no redirect.
	Client *http.Client
	// Now is the time that requests are signed with. Nil means the machine's clock, which is that of the servers, wherever the emulator's
	// has been moved to.
	Now func() time.Time
}

// To returns a sink that delivers each event to every target, in their order. An event that one of them refuses is delivered to all of
// them again, as at-least-once delivery does. A target is one of
//
//	http://host:port/path              POST of the event as EventBridge hands it to a target; any answer of 2xx takes it
//	sqs+http://host:port/account/name  a queue URL: the event is the body of a message, as a rule with a queue as its target sends it
//	events+http://host:port/bus        PutEvents on a bus, "default" without a path; EventBridge gives the event another id
//
// and https in the place of http. AWS itself refuses PutEvents with a source that begins with "aws.": a bus here is that of an
// emulator. Errors wrap [connectemu.ErrConfig].
func To(targets []string, options Options) (connectemu.EventSink, error) {
	if len(targets) == 0 {
		return nil, fmt.Errorf("%w: no target for events: give at least one URL", connectemu.ErrConfig)
	}
	options = options.withDefaults()
	var all sinks
	for _, target := range targets {
		sink, err := one(target, options)
		if err != nil {
			return nil, err
		}
		all = append(all, sink)
	}
	return all, nil
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *string
		value string
	}{
		{&o.Region, connectemu.DefaultRegion}, {&o.AccessKey, connectemu.DefaultAccessKey}, {&o.SecretKey, connectemu.DefaultSecretKey},
	} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func one(target string, o Options) (connectemu.EventSink, error) {
	kind, address, prefixed := strings.Cut(target, "+")
	if !prefixed {
		kind, address = "http", target
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%w: target %q is no URL of a target: write http://, sqs+http:// or events+http:// and host:port", connectemu.ErrConfig, target)
	}
	if !o.AllowNonLoopback && !isLoopback(u.Hostname()) {
		return nil, fmt.Errorf("%w: target %q is not on the loopback interface: use 127.0.0.1, or set AllowNonLoopback", connectemu.ErrConfig, target)
	}
	path := strings.Trim(u.Path, "/")
	switch {
	case kind == "http":
		return endpoint{address, o}, nil
	case kind == "sqs" && strings.Contains(path, "/"):
		return queue{address, o}, nil
	case kind == "sqs":
		return nil, fmt.Errorf("%w: target %q is no queue URL: write sqs+http://host:port/account/name", connectemu.ErrConfig, target)
	case kind == "events":
		if path == "" {
			path = "default"
		}
		return bus{u.Scheme + "://" + u.Host + "/", path, o}, nil
	}
	return nil, fmt.Errorf("%w: target %q begins with an unknown kind: use http, sqs+http or events+http", connectemu.ErrConfig, target)
}

// isLoopback accepts literal loopback addresses and the name localhost; other names could resolve to anything.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sinks delivers to all.
type sinks []connectemu.EventSink

// Deliver implements [connectemu.EventSink].
func (s sinks) Deliver(ctx context.Context, event connectemu.Event) error {
	var failed error
	for _, sink := range s {
		failed = errors.Join(failed, sink.Deliver(ctx, event))
	}
	return failed
}
