package webhooks

import (
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/secret"
	"github.com/ringonce/ringonce/internal/webhook"
)

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
