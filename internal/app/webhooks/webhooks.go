// Package webhooks opens what tells producers. It is apart from package app so that a binary links it only when it asks for it.
package webhooks

import (
	"context"
	"crypto/x509"
	"errors"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outbound"
	"github.com/ringonce/ringonce/internal/webhook"
)

const (
	// shortestSecret in bytes (Standard Webhooks specification, "Signature scheme": 24 to 64).
	shortestSecret = 24
	// answerTime is how long a producer may take to answer.
	answerTime = 10 * time.Second
	// mostAnswer is how much of an answer's body is read; nothing of it is used, so it may be longer.
	mostAnswer = 4 << 10
	// lookBack and mostBehind bound the search for calls whose hints were lost.
	lookBack, mostBehind = 3 * 24 * time.Hour, 20_000
)

// loopback is what may be told beside public addresses where nothing is real.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

type teller struct{ *webhook.Teller }

// Open is an app.OpenWebhooks.
func Open(r app.WebhookRequest) (app.Webhooks, error) {
	endpoints := map[string]webhook.Endpoint{}
	for i, w := range r.Endpoints {
		field := "webhooks[" + strconv.Itoa(i) + "]"
		client, err := clientFor(w, r.Plain, field)
		if err != nil {
			return nil, err
		}
		if err := client.Check(w.URL); err != nil {
			return nil, refused(field+".url", "is not where a producer can be told: "+err.Error()+".", "Write an https address outside private networks, or name its range in webhooks[].allow.")
		}
		keys, err := watch(field, w, r)
		if err != nil {
			return nil, err
		}
		endpoints[w.KeySpace] = webhook.Endpoint{URL: w.URL, Sign: signing(keys), Send: client.Status}
	}
	return teller{webhook.New(webhook.Options{
		Ledger: r.Ledger, Index: r.Index, Cells: r.Cells, Clock: r.Clock,
		Endpoint: func(keySpace string) (webhook.Endpoint, bool) {
			endpoint, told := endpoints[keySpace]
			return endpoint, told
		},
	})}, nil
}

// clientFor returns what tells one receiver. Each has a client of its own, since what is allowed for one is not for the others.
func clientFor(w app.Webhook, plain bool, field string) (*outbound.Client, error) {
	options := outbound.Options{Timeout: answerTime, MostBytes: mostAnswer, Plain: plain}
	if plain {
		options.Allow = slices.Clone(loopback)
	}
	for _, text := range w.Allow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || outbound.Never(prefix) {
			return nil, refused(field+".allow", "holds "+strconv.Quote(text)+", where nothing but the metadata of machines is, or which is no range.", "Name the range of the receiver, as 10.20.0.0/16.")
		}
		options.Allow = append(options.Allow, prefix)
	}
	if w.CAFile != "" {
		text, err := os.ReadFile(w.CAFile)
		if err != nil {
			return nil, refused(field+".ca_file", "cannot be read: "+err.Error(), "Name a PEM file with the certificates of the authorities.")
		}
		options.RootCAs = x509.NewCertPool()
		if !options.RootCAs.AppendCertsFromPEM(text) {
			return nil, refused(field+".ca_file", "holds no certificate.", "Name a PEM file with the certificates of the authorities.")
		}
	}
	return outbound.New(options), nil
}

func refused(field, message, fix string) error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: field + " " + message, Fix: fix}
}

// Tell implements app.Webhooks.
func (t teller) Tell(ctx context.Context, row string) (busy bool, err error) {
	err = t.Teller.Tell(ctx, row)
	if errors.Is(err, webhook.ErrBusy) {
		return true, nil
	}
	return false, err
}

// Story implements app.Webhooks.
func (t teller) Story(ctx context.Context, row string) (story app.WebhookStory, told bool, err error) {
	found, err := t.Teller.Story(ctx, row)
	if errors.Is(err, webhook.ErrNobody) {
		return story, false, nil
	}
	story.Receiver = found.Receiver
	for i, e := range found.Events {
		story.Events = append(story.Events, app.WebhookEvent{ID: e.ID, Type: string(e.Type), At: e.At, Taken: i < found.Taken})
	}
	return story, err == nil, err
}

// Behind implements app.Webhooks.
func (t teller) Behind(ctx context.Context, again func(ctx context.Context, row string) error) (app.WebhookBacklog, error) {
	found, err := t.Teller.Behind(ctx, lookBack, mostBehind, again)
	return app.WebhookBacklog(found), err
}
