package app

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Webhook is where the producer of a key space is told what becomes of its calls (docs/webhooks.md).
type Webhook struct {
	KeySpace           string `yaml:"key_space"`            // default: the unnamed one
	URL                string `yaml:"url"`                  // https; with production: false also http on loopback
	SecretFile         string `yaml:"secret_file"`          // at least 24 bytes, readable by its owner only
	PreviousSecretFile string `yaml:"previous_secret_file"` // signs too, while receivers change over

	Allow  []string `yaml:"allow"`   // private ranges that this receiver may have its address in; metadata addresses are in none
	CAFile string   `yaml:"ca_file"` // the only authorities of its certificate; default: those of the machine
}

// WebhookRequest is what webhooks are opened with.
type WebhookRequest struct {
	Endpoints []Webhook
	Plain     bool // also http on loopback
	Ledger    call.Ledger
	Index     call.Index
	Cells     call.Cells
	Clock     call.Clock
	Log       *slog.Logger
}

// Webhooks tells producers.
type Webhooks interface {
	// Tell tells what the producer of the call was not told yet. busy means that another process is at it, and it is tried again soon.
	Tell(ctx context.Context, row string) (busy bool, err error)
	// Behind passes to again the calls whose hints were lost, or whose producer did not take what it was told.
	Behind(ctx context.Context, again func(ctx context.Context, row string) error) (WebhookBacklog, error)
	// Story returns what the producer of a call is told and what of it was taken; told is false where it is told nothing.
	Story(ctx context.Context, row string) (story WebhookStory, told bool, err error)
	// Back makes an event of the call, and all that follow it, untold.
	Back(ctx context.Context, row, event string) error
}

// WebhookStory is what the producer of a call is told.
type WebhookStory struct {
	Receiver string // host of the receiver
	Events   []WebhookEvent
}

// WebhookEvent is one thing that a producer is told.
type WebhookEvent struct {
	ID, Type string
	At       time.Time
	Taken    bool
}

// WebhookBacklog is what producers were not told; the members are those of webhook.Backlog.
type WebhookBacklog struct {
	Calls   int
	Oldest  time.Time // acceptance of the oldest; zero when there is none
	GivenUp []string  // calls that nobody is told of any more
}

// OpenWebhooks opens the webhooks of a configuration.
type OpenWebhooks func(r WebhookRequest) (Webhooks, error)

// checkWebhooks checks what can be checked without reading a file.
func (c *Config) checkWebhooks() error {
	spaces := map[string]bool{}
	for i, w := range c.Webhooks {
		field := "webhooks[" + strconv.Itoa(i) + "]"
		switch {
		case c.Wake.Engine != wakeRiver:
			return c.refuse("webhooks", "Set wake.engine: river.", "needs jobs, and wake.engine is not river.")
		case w.URL == "":
			return c.refuse(field+".url", "Write the https address of the producer's receiver.", "is missing.")
		case w.SecretFile == "":
			return c.refuse(field+".secret_file", "Name a file with at least 24 random bytes.", "is missing: what is not signed proves nothing.")
		case slices.ContainsFunc(w.Allow, func(text string) bool { _, err := netip.ParsePrefix(text); return err != nil }):
			return c.refuse(field+".allow", "Write ranges as 10.20.0.0/16.", "holds what is no range.")
		case spaces[w.KeySpace]:
			return c.refuse(field+".key_space", "Keep one webhook for each key space.", "has a webhook already.")
		}
		spaces[w.KeySpace] = true
	}
	return nil
}

// noticed is how many calls may wait for their hint; what comes on top is found by a later look.
const noticed = 4096

// What is decided about telling producers.
const (
	noticeFailed   = "notice-failed"    // a call could not be handed to the jobs; a later look finds it
	webhookGivenUp = "webhook-given-up" // its events are told no more
)

// behindEvery is how often calls are looked for whose hints were lost.
const behindEvery = 15 * time.Minute

// notices passes the calls that something became of to the jobs, off the path of the calls.
type notices struct {
	rows  chan string
	end   context.CancelFunc
	ended sync.WaitGroup
}

// openWebhooks opens the configured webhooks; hints must be open.
func (c *Config) openWebhooks(o Options, a *App) error {
	if len(c.Webhooks) == 0 || a.Hints == nil {
		return nil
	}
	if o.Webhooks == nil {
		return c.refuse("webhooks", "Remove it, or run a binary that tells producers.", "is set, and this binary tells nobody.")
	}
	told, err := o.Webhooks(WebhookRequest{
		Endpoints: c.Webhooks, Plain: !c.IsProduction(), Ledger: a.Store.Ledger, Index: a.Store.Index, Cells: a.Store.Cells, Clock: o.Clock, Log: o.Log,
	})
	if err != nil {
		return err
	}
	a.webhooks, a.notices = told, &notices{rows: make(chan string, noticed)}
	a.Observer.changed = a.notices.put
	return nil
}

func (n *notices) put(row string) {
	select {
	case n.rows <- row:
	default:
	}
}

// StartHints begins to answer hints and to tell producers, where this process does. When ctx ends no further one is begun, and those that run have
// serve.drain; closing ends the rest.
func (a *App) StartHints(ctx context.Context) error {
	if a.Hints == nil {
		return nil
	}
	ending := ctx
	ctx = context.WithoutCancel(ctx)
	if err := a.Hints.Start(ctx); err != nil {
		return err
	}
	context.AfterFunc(ending, a.jobs.end)
	if a.notices == nil {
		return nil
	}
	ctx, a.notices.end = context.WithCancel(ctx)
	a.notices.ended.Go(func() { a.passNotices(ctx) })
	a.notices.ended.Go(func() { a.lookBehind(ctx) })
	return nil
}

func (a *App) passNotices(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case row := <-a.notices.rows:
			if err := a.Hints.Notice(ctx, row); err != nil && ctx.Err() == nil {
				a.Observer.Decided(ctx, call.Decided{What: noticeFailed, Reason: err.Error(), Alarm: true})
			}
		}
	}
}

func (a *App) lookBehind(ctx context.Context) {
	for {
		found, err := a.webhooks.Behind(ctx, a.Hints.NoticeBehind)
		switch {
		case err == nil:
			a.webhookBacklog.Store(&found)
		case ctx.Err() == nil:
			a.Observer.Decided(ctx, call.Decided{What: noticeFailed, Reason: err.Error(), Alarm: true})
		}
		for _, row := range found.GivenUp {
			a.Observer.Decided(ctx, call.Decided{What: webhookGivenUp, RowID: row, Reason: "its producer took no event for too long, and is told nothing more of this call", Alarm: true})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(behindEvery):
		}
	}
}

// stop ends what passes notices on; those that wait are found behind by the next process.
func (n *notices) stop() {
	if n != nil && n.end != nil {
		n.end()
		n.ended.Wait()
	}
}
