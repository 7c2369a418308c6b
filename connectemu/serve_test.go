package connectemu_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

func TestServeListensUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	clock := connectemu.NewManualClock(epoch)
	ctx, cancel := context.WithCancel(t.Context())
	addresses := make(chan [2]net.Addr, 1)
	done := make(chan error, 1)
	go func() {
		done <- connectemu.Serve(ctx, connectemu.Options{
			Addr: "127.0.0.1:0", ManagementAddr: "localhost:0", Config: connectemu.Config{Clock: clock},
			Ready: func(api, management net.Addr) { addresses <- [2]net.Addr{api, management} },
		})
	}()
	at := <-addresses
	w := &world{t: t, clock: clock, url: "http://" + at[0].String()}
	w.client = w.newClient()
	w.mustStart(answers, "token")
	response, err := http.Get("http://" + at[1].String() + "/rings")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(body), `"total":1`) {
		t.Errorf("rings: got %s %v", body, err)
	}
	if status := askedAs(t, at[1], "rebound.example"); status != http.StatusMisdirectedRequest {
		t.Errorf("a name that was pointed at this machine got %d from the management listener", status)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := w.start(answers, "token"); err == nil {
		t.Error("the emulator still answers")
	}
}

// askedAs asks for the rings under another host name, as a browser does after DNS rebinding.
func askedAs(t *testing.T, at net.Addr, host string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.String()+"/rings", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := taken.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, tc := range map[string]struct {
		options connectemu.Options
		is      error
		text    string
	}{
		"every address":        {connectemu.Options{Addr: "0.0.0.0:0"}, connectemu.ErrConfig, "AllowNonLoopback"},
		"no address":           {connectemu.Options{Addr: ":0"}, connectemu.ErrConfig, "AllowNonLoopback"},
		"a name":               {connectemu.Options{Addr: "example.com:0"}, connectemu.ErrConfig, "AllowNonLoopback"},
		"management elsewhere": {connectemu.Options{Addr: "127.0.0.1:0", ManagementAddr: "[::]:0"}, connectemu.ErrConfig, "ManagementAddr"},
		"no port":              {connectemu.Options{Addr: "127.0.0.1"}, connectemu.ErrConfig, "host:port"},
		"port in use":          {connectemu.Options{Addr: taken.Addr().String()}, connectemu.ErrPortInUse, taken.Addr().String()},
		"management port in use": {
			connectemu.Options{Addr: "127.0.0.1:0", ManagementAddr: taken.Addr().String()}, connectemu.ErrPortInUse, "ManagementAddr",
		},
		"bad configuration": {
			connectemu.Options{Addr: "127.0.0.1:0", Config: connectemu.Config{Instances: []string{"x"}}}, connectemu.ErrConfig, "Instances",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.options.Ready = func(net.Addr, net.Addr) { t.Error("it listens") }
			err := connectemu.Serve(t.Context(), tc.options)
			if !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %v, want %v with %q", err, tc.is, tc.text)
			}
		})
	}
}

func TestServeBeyondLoopbackWhenAllowed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := connectemu.Serve(ctx, connectemu.Options{
		Addr: "0.0.0.0:0", ManagementAddr: "127.0.0.1:0", AllowNonLoopback: true,
		Ready: func(net.Addr, net.Addr) { cancel() },
	})
	if err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeDeliversEvents(t *testing.T) {
	t.Parallel()
	clock := connectemu.NewManualClock(epoch)
	heard := make(chan connectemu.EventType, 10)
	ctx, cancel := context.WithCancel(t.Context())
	addresses, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- connectemu.Serve(ctx, connectemu.Options{
			Addr: "127.0.0.1:0", ManagementAddr: "127.0.0.1:0", Ready: func(api, _ net.Addr) { addresses <- api },
			Config: connectemu.Config{Clock: clock, EventSink: &drain{deliver: func(e connectemu.Event) { heard <- e.Type }}},
		})
	}()
	w := &world{t: t, clock: clock, url: "http://" + (<-addresses).String()}
	w.client = w.newClient()
	w.mustStart(answers, "token")
	if first := <-heard; first != connectemu.EventInitiated {
		t.Errorf("heard %s first", first)
	}
	clock.Advance(connectemu.DefaultRingTime)
	if second := <-heard; second != connectemu.EventConnectedToSystem {
		t.Errorf("heard %s second", second)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
