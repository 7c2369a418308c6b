package access

import (
	"context"
	"errors"
)

// reading binds a fetch to the URL of a configuration.
func reading(fetch Fetch, url string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		text, err := fetch(ctx, url)
		if err == nil && len(text) > mostKeySet {
			return nil, errors.New("access: the key set is too large")
		}
		return text, err
	}
}
