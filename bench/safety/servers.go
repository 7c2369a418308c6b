package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/ringonce/ringonce/bench/safety/standin"
	"github.com/ringonce/ringonce/connectemu"
)

// servers are a telephone and a store on loopback.
type servers struct {
	telephone *connectemu.Server
	store     *standin.Server

	telephoneURL, storeURL, controlURL string
	open                               []*http.Server
}

func serve(ctx context.Context, config connectemu.Config) (*servers, error) {
	s := &servers{store: standin.New()}
	var err error
	if s.telephone, err = connectemu.New(config); err != nil {
		return nil, err
	}
	for _, one := range []struct {
		url     *string
		handler http.Handler
	}{{&s.telephoneURL, s.telephone}, {&s.storeURL, s.store}, {&s.controlURL, http.HandlerFunc(s.control)}} {
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		*one.url = "http://" + listener.Addr().String()
		server := &http.Server{Handler: undated(one.handler), ReadHeaderTimeout: 5 * time.Second}
		s.open = append(s.open, server)
		go func() { _ = server.Serve(listener) }()
	}
	return s, nil
}

// undated leaves the time out of answers. The clocks of both sides are moved, and SDKs that see another time in an answer take their own for wrong:
// the SDK of the peer then sends again what the store refused for good.
func undated(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		h.ServeHTTP(w, r)
	})
}

// control sets the faults of a table: POST /fault?table=NAME&kind=FAULT.
func (s *servers) control(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if err := s.store.SetFault(query.Get("table"), standin.Fault(query.Get("kind"))); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
}

// rings counts the rings of each number.
func (s *servers) rings(numbers []string) []int {
	counts := make([]int, len(numbers))
	for i, number := range numbers {
		counts[i] = len(s.telephone.RingsFor(number))
	}
	return counts
}

func (s *servers) close() error {
	s.telephone.Close()
	var err error
	for _, server := range s.open {
		err = errors.Join(err, server.Close())
	}
	return err
}
