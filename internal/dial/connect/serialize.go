package connect

import (
	"bytes"
	"context"
	"fmt"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// storedBytes replaces the body that the SDK serialized. The steps that follow it compute length, hash and signature from what
// it sets, so the bytes in the ledger are the bytes on the wire. Method, path and headers stay the SDK's.
type storedBytes struct{}

// install puts the middleware behind the SDK's serializer.
func (m storedBytes) install(stack *middleware.Stack) error {
	if err := stack.Serialize.Insert(m, "OperationSerializer", middleware.After); err != nil {
		return fmt.Errorf("install the stored body: %w", err)
	}
	return nil
}

// ID names the middleware within a stack.
func (storedBytes) ID() string { return "RingonceStoredBytes" }

// HandleSerialize sets the body of a dial and leaves reads alone.
func (storedBytes) HandleSerialize(
	ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler,
) (middleware.SerializeOutput, middleware.Metadata, error) {
	if f := flightOf(ctx); f != nil {
		request, ok := in.Request.(*smithyhttp.Request)
		if !ok {
			return middleware.SerializeOutput{}, middleware.Metadata{}, fmt.Errorf("unknown request type %T", in.Request)
		}
		request, err := request.SetStream(bytes.NewReader(f.send.Body))
		if err != nil {
			return middleware.SerializeOutput{}, middleware.Metadata{}, fmt.Errorf("set the stored body: %w", err)
		}
		in.Request = request
	}
	return next.HandleSerialize(ctx, in)
}
