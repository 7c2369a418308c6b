// Package trace passes the trace of a delivery on: requests to AWS carry it in the header X-Amzn-Trace-Id.
package trace

import (
	"context"
	"fmt"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringonce/ringonce/internal/call"
)

// HeaderName is the header of AWS X-Ray. The signers of AWS SDKs leave it out of signatures, so that services on the way may add to it.
const HeaderName = "X-Amzn-Trace-Id"

// Header returns the trace as X-Ray's header writes it; empty when there is none. A W3C trace id has the same 128 bits.
func Header(t call.Trace) string {
	header := t.XRayRoot()
	if header == "" {
		return ""
	}
	header = "Root=" + header
	if t.Parent != "" {
		header += ";Parent=" + t.Parent
	}
	if t.Sampled != "" {
		header += ";Sampled=" + t.Sampled
	}
	return header
}

// Install makes a client of the SDK send the trace of each context ([call.WithTrace]). Where there is none the SDK sends that of the invocation
// in Lambda, as it always does. Neither body nor signature changes.
func Install(stack *middleware.Stack) error {
	if err := stack.Build.Add(carry{}, middleware.Before); err != nil {
		return fmt.Errorf("install the trace: %w", err)
	}
	return nil
}

// carry is the middleware.
type carry struct{}

// ID names the middleware within a stack.
func (carry) ID() string { return "RingonceTrace" }

// HandleBuild sets the header.
func (carry) HandleBuild(
	ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler,
) (middleware.BuildOutput, middleware.Metadata, error) {
	if request, ok := in.Request.(*smithyhttp.Request); ok {
		if header := Header(call.TraceOf(ctx)); header != "" {
			request.Header.Set(HeaderName, header)
		}
	}
	return next.HandleBuild(ctx, in)
}
