package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"io"
	"log/slog"
	"path"
	"slices"
	"strconv"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
)

// pollers makes a poller for each of serve.queues. None of them asks its queue yet. What they take is written into the audit log.
func (s *serving) pollers(log *auditlog.Log) ([]*sqspoll.Poller, error) {
	access := s.config.QueueAccess(s.surroundings())
	pollers := make([]*sqspoll.Poller, 0, len(s.config.Serve.Queues))
	var names []string
	for i, q := range s.config.Serve.Queues {
		region := sqsqueue.RegionOf(q.URL)
		if region == "" && access.Endpoint == "" {
			return nil, &call.Error{
				Code: call.CodeConfiguration, Field: "serve.queues", Message: "A URL of serve.queues names no queue of SQS.",
				Fix: "Copy the URL of the queue from the SQS console, or set sqs.endpoint for an emulator.",
			}
		}
		if region == "" {
			region = access.Region
		}
		client, err := sqspoll.NewClient(sqspoll.ClientOptions{URL: q.URL, Region: region, Credentials: access.Credentials, Endpoint: access.Endpoint})
		if err != nil {
			return nil, err
		}
		name := path.Base(q.URL)
		if slices.Contains(names, name) { // of another account or Region
			name += "-" + strconv.Itoa(i)
		}
		names = append(names, name)
		p, err := s.poller(q, name, client, log)
		if err != nil {
			return nil, err
		}
		pollers = append(pollers, p)
	}
	return pollers, nil
}

// poller joins a queue with the way of every delivery.
func (s *serving) poller(q app.ServeQueue, name string, queue sqspoll.Queue, log *auditlog.Log) (*sqspoll.Poller, error) {
	set := s.config.Serve
	for _, what := range sqspoll.Notes() {
		s.metrics.Queue(name, what, 0)
	}
	p, err := sqspoll.New(sqspoll.Options{
		Queue: queue, Take: s.take, Record: s.recording(log), Hangs: s.unrecorded, Clock: s.Clock, Random: fraction(s.Random), Lanes: q.Lanes,
		Visibility: set.Duration(q.Visibility), MaxBackOff: set.Duration(q.MaxBackOff), Drain: set.Duration(set.Drain),
		Note: func(n sqspoll.Note) {
			s.metrics.Queue(name, n.What, n.Count)
			if n.Err != nil {
				s.log.LogAttrs(context.Background(), slog.LevelWarn, "queue", slog.String("queue", name), slog.String("what", n.What), slog.Int("count", n.Count),
					slog.String("error", n.Err.Error()))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	s.metrics.Gauge("ringonce_queue_messages_held", "Messages that this process holds.", map[string]string{"queue": name}, func() float64 { return float64(p.Held()) })
	return p, nil
}

// take hands a message to the way of every delivery. What it asked for is an act of its producer, by the name that the HTTP API has for it.
func (s *serving) take(ctx context.Context, document []byte) sqspoll.Taken {
	acknowledged, asked := s.app.Take(ctx, document)
	taken := sqspoll.Taken{Acknowledged: acknowledged}
	for _, a := range asked {
		taken.Acts = append(taken.Acts, auditlog.Act{
			At: a.At, Actor: a.Producer, Kind: string(access.Producer), Action: "placeCall", CallID: a.Call, Target: a.Target, Reason: a.Met, Answer: a.Answer,
		})
	}
	return taken
}

// recording writes what messages asked for into the audit log; nil without one. That it could not be written is an alarm, as for a request over HTTP.
func (s *serving) recording(log *auditlog.Log) func(ctx context.Context, acts []auditlog.Act) error {
	if log == nil {
		return nil
	}
	return func(ctx context.Context, acts []auditlog.Act) error {
		err := log.AppendAll(context.WithoutCancel(ctx), acts)
		if err != nil {
			s.auditLost(ctx, err.Error())
		}
		return err
	}
}

// unrecorded tells of acts that leave without a record, as the log does not answer.
func (s *serving) unrecorded(ctx context.Context, _ []auditlog.Act) {
	s.auditLost(ctx, "The audit log did not answer in time.")
}

func (s *serving) auditLost(ctx context.Context, reason string) {
	s.app.Observer.Decided(ctx, call.Decided{What: "audit-lost", Reason: reason, Source: call.SourceSQS, Alarm: true})
}

// fraction reads numbers from [0, 1); randomness that cannot be read is the middle, since a jitter protects nothing but a far end.
func fraction(random io.Reader) func() float64 {
	if random == nil {
		random = rand.Reader
	}
	return func() float64 {
		var b [8]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0.5
		}
		return float64(binary.BigEndian.Uint64(b[:])>>11) / (1 << 53)
	}
}
