package kmskey

import (
	"context"
	"time"

	awskms "github.com/aws/aws-sdk-go-v2/service/kms"
)

// tries is how often a request is sent; the pauses between are 50 and 100 ms.
const tries = 3

// ask sends one request, and again while the failure is one that may pass.
func ask[I, O any](ctx context.Context, k *Keys, in I, send func(context.Context, I, ...func(*awskms.Options)) (O, error)) (O, error) {
	for try := 1; ; try++ {
		out, err := once(ctx, k.options.Timeout, in, send)
		if err == nil {
			return out, nil
		}
		if ended := ctx.Err(); ended != nil {
			return out, ended
		}
		if try == tries || !mayPass(err) {
			return out, err
		}
		if err := k.options.Clock.Sleep(ctx, 50*time.Millisecond<<(try-1)); err != nil {
			return out, err
		}
	}
}

func once[I, O any](ctx context.Context, limit time.Duration, in I, send func(context.Context, I, ...func(*awskms.Options)) (O, error)) (O, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return send(ctx, in)
}
