package service

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The defaults of [Limits] and of [Options].Drain.
const (
	DefaultConcurrent  = 256
	DefaultConnections = 4096
	DefaultBody        = 8 << 20
	DefaultHeaderTime  = 5 * time.Second
	DefaultReadTime    = 30 * time.Second
	DefaultWriteTime   = 90 * time.Second
	DefaultIdleTime    = 2 * time.Minute
	DefaultDrain       = 20 * time.Second
)

// maxHeaderBytes bounds the request line with the headers.
const maxHeaderBytes = 16 << 10

// Limits bound what clients can hold up. Zero members are the defaults.
type Limits struct {
	Concurrent  int   // requests of the API that are answered at once; more are answered 503
	Connections int   // open at once; one more closes that which has waited longest for a request
	Body        int64 // bytes of one request's body
	HeaderTime  time.Duration
	ReadTime    time.Duration
	WriteTime   time.Duration
	IdleTime    time.Duration
}

func (l Limits) complete() Limits {
	if l.Concurrent <= 0 {
		l.Concurrent = DefaultConcurrent
	}
	if l.Connections <= 0 {
		l.Connections = DefaultConnections
	}
	if l.Body <= 0 {
		l.Body = DefaultBody
	}
	for at, otherwise := range map[*time.Duration]time.Duration{
		&l.HeaderTime: DefaultHeaderTime, &l.ReadTime: DefaultReadTime, &l.WriteTime: DefaultWriteTime, &l.IdleTime: DefaultIdleTime,
	} {
		if *at <= 0 {
			*at = otherwise
		}
	}
	return l
}

// Options is what a service is made of. Clock, Log and Metrics are required.
type Options struct {
	// API is mounted for every path that is not the service's own; nil answers 404. It is given who asks by whatever wraps it.
	API http.Handler
	// Routes are the patterns of the API as http.ServeMux writes them, such as "GET /v1/calls/{id}". They name requests in the log and in the
	// metrics, where a path would be an id; what matches none of them is "other".
	Routes []string
	// Checks are what readiness means, in the order of the answer.
	Checks []Check
	// Anonymous says that nobody is asked who they are: only names of this machine are then served, and nothing that a page of another site sent.
	Anonymous bool

	// Traced begins the trace of a request of the API, by its method and route, and returns what ends it with the status; nil traces nothing.
	Traced func(r *http.Request, route string) (context.Context, func(status int))

	// Tells reports whether a request may read the metrics and the checks of readiness; nil tells everybody. Whether the process is ready, and whether
	// it answers at all, everybody is told.
	Tells func(r *http.Request) bool

	Limits  Limits
	Drain   time.Duration // how long requests may take after the end was asked for; zero means the default
	TLS     *Certificates // nil serves plain HTTP
	Clock   call.Clock
	Log     *slog.Logger
	Metrics *Metrics
}
