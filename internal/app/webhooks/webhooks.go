// Package webhooks opens what tells producers. It is apart from package app so that a binary links it only when it asks for it.
package webhooks

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outbound"
	"github.com/ringonce/ringonce/internal/secret"
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
	options := outbound.Options{Timeout: answerTime, MostBytes: mostAnswer, Plain: r.Plain}
	if r.Plain {
		options.Allow = loopback
	}
	client := outbound.New(options)
	endpoints := map[string]webhook.Endpoint{}
	for i, w := range r.Endpoints {
		field := "webhooks[" + strconv.Itoa(i) + "]"
		if err := client.Check(w.URL); err != nil {
			return nil, refused(field+".url", "is not where a producer can be told: "+err.Error()+".", "Write an https address outside private networks.")
		}
		keys, err := watch(field, w, r)
		if err != nil {
			return nil, err
		}
		endpoints[w.KeySpace] = webhook.Endpoint{URL: w.URL, Sign: signing(keys)}
	}
	return teller{webhook.New(webhook.Options{
		Ledger: r.Ledger, Index: r.Index, Cells: r.Cells, Clock: r.Clock,
		Send: client.Status,
		Endpoint: func(keySpace string) (webhook.Endpoint, bool) {
			endpoint, told := endpoints[keySpace]
			return endpoint, told
		},
	})}, nil
}

// keys are the secrets that sign.
type keys []secret.Secret

// watch reads the secrets of a receiver, now and whenever their files change.
func watch(field string, w app.Webhook, r app.WebhookRequest) (*secret.Watched[keys], error) {
	sources := []struct{ key, path string }{{".secret_file", w.SecretFile}}
	files := []string{w.SecretFile}
	if w.PreviousSecretFile != "" {
		sources, files = append(sources, struct{ key, path string }{".previous_secret_file", w.PreviousSecretFile}), append(files, w.PreviousSecretFile)
	}
	return secret.Watch(secret.WatchOptions[keys]{
		Name: field + ".secret_file", Files: files, Clock: r.Clock, Log: r.Log, Drop: keys.drop,
		Read: func() (keys, error) {
			var all keys
			for _, file := range sources {
				value, err := secret.ReadFile(file.path)
				if err != nil {
					all.drop()
					return nil, refused(field+file.key, "cannot be read: "+err.Error(), "Name a file that only its owner can read.")
				}
				if all = append(all, value); value.Len() < shortestSecret {
					all.drop()
					return nil, refused(field+file.key, "holds fewer than 24 bytes.", "Write 32 random bytes into it.")
				}
			}
			return all, nil
		},
	})
}

func (k keys) drop() {
	for _, s := range k {
		s.Drop()
	}
}

func signing(w *secret.Watched[keys]) func(string, time.Time, []byte) string {
	return func(id string, at time.Time, body []byte) (signature string) {
		w.Use(func(all keys) {
			var secrets [][]byte
			for _, s := range all {
				secrets = append(secrets, s.Reveal())
			}
			signature = webhook.Sign(secrets, id, at, body)
		})
		return signature
	}
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

// Behind implements app.Webhooks.
func (t teller) Behind(ctx context.Context, again func(ctx context.Context, row string) error) (app.WebhookBacklog, error) {
	found, err := t.Teller.Behind(ctx, lookBack, mostBehind, again)
	return app.WebhookBacklog(found), err
}
