package connectemu

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Addresses of [Serve] when [Options] names none.
const (
	DefaultAddr           = "127.0.0.1:7465"
	DefaultManagementAddr = "127.0.0.1:7466"
)

// Options say where [Serve] listens.
type Options struct {
	// Addr and ManagementAddr are host:port of the API and of the management handler. Empty means DefaultAddr and
	// DefaultManagementAddr; port 0 means any free port.
	Addr, ManagementAddr string
	// AllowNonLoopback permits addresses that other machines can reach. The management handler asks nobody for credentials.
	AllowNonLoopback bool
	// Config is the emulator's configuration.
	Config Config
	// Ready, when set, is called once both listeners are open, with their actual addresses.
	Ready func(api, management net.Addr)
}

// Serve listens on both addresses and serves an emulator until ctx ends, which is no error. It refuses addresses that are not
// loopback unless the options allow them: an emulator must never be taken for the service, nor be reachable by accident. Errors wrap
// [ErrConfig] or [ErrPortInUse] where they apply and name the fix.
func Serve(ctx context.Context, options Options) error {
	fill(&options.Addr, DefaultAddr)
	fill(&options.ManagementAddr, DefaultManagementAddr)
	server, err := New(options.Config)
	if err != nil {
		return err
	}
	defer server.Close()
	api, err := listen(ctx, "Addr", options.Addr, options.AllowNonLoopback)
	if err != nil {
		return err
	}
	management, err := listen(ctx, "ManagementAddr", options.ManagementAddr, options.AllowNonLoopback)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	if options.Ready != nil {
		options.Ready(api.Addr(), management.Addr())
	}
	logger := server.cfg.Load().Logger
	delivery, stopDelivery := context.WithCancel(ctx)
	defer stopDelivery()
	if server.cfg.Load().EventSink != nil {
		go func() { _ = server.DeliverEvents(delivery) }() // it ends with the context and says no more than that
	}
	if server.cfg.Load().FlowFunction != nil {
		go func() { _ = server.RunFlows(delivery) }() // as above
	}
	servers := []*http.Server{httpServer(server, logger), httpServer(onlyNamedLoopback(server.Management(), options.AllowNonLoopback), logger)}
	ended := make(chan error, len(servers))
	for i, l := range []net.Listener{api, management} {
		go func() { ended <- servers[i].Serve(l) }()
	}
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-ended:
		ended <- http.ErrServerClosed // so that two results can be awaited below
	}
	server.Close()
	for _, h := range servers {
		failed = errors.Join(failed, shutDown(h))
	}
	for range servers {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failed = errors.Join(failed, err)
		}
	}
	return errors.Join(failed, server.EndTruth())
}

// shutDownTime is how long requests that are being answered may take after the context has ended.
const shutDownTime = 3 * time.Second

// shutDown lets requests end, and then closes what is left.
func shutDown(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutDownTime)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		return h.Close()
	}
	return nil
}

// httpServer bounds what a client can hold up. There is no write timeout: late answers are one of the faults.
func httpServer(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// onlyNamedLoopback refuses requests that address the management handler by a name that could be anybody's: a page whose name was
// pointed at this machine (DNS rebinding) is of one origin with it, and nobody is asked for credentials.
func onlyNamedLoopback(h http.Handler, anywhere bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !anywhere && !isLoopback(host) {
			http.Error(w, `{"error":"Address this listener as 127.0.0.1 or localhost."}`, http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// listen opens one listener; field names it in errors.
func listen(ctx context.Context, field, addr string, anywhere bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %s %q is not host:port: write it like %s", ErrConfig, field, addr, DefaultAddr)
	}
	if !anywhere && !isLoopback(host) {
		return nil, fmt.Errorf("%w: %s %q is not a loopback address: use 127.0.0.1:%s, or set AllowNonLoopback", ErrConfig, field, addr, port)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: %s %s is taken by another process: stop it, or choose another port (0 for any free one)", ErrPortInUse, field, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("connectemu: %s: %w", field, err)
	}
	return l, nil
}

// isLoopback accepts literal loopback addresses and the name localhost; other names could resolve to anything.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
