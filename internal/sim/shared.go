package sim

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// Shared is a ledger that outlives the workers on it: the world's own handle, which meets no faults, and a way to open it as a worker does.
type Shared interface {
	call.Ledger
	call.Eraser
	// Each visits every row with its history, in the order of creation.
	Each(ctx context.Context, visit func(call.Call, []call.Entry) error) error
	// Open opens it for a worker, whose handle may meet faults that the ledger makes by itself.
	Open(ctx context.Context, r app.StoreRequest) (*app.Store, error)
	// Quiet ends those faults, or lets them begin again.
	Quiet(quiet bool)
	// Backup copies it as it is now. The writes are those that it has applied, for a ledger that is made again from them.
	Backup(writes []*call.Write) Copy
}

// Copy is a backup of a shared ledger.
type Copy interface {
	// Restore makes a ledger of it, quiet at first.
	Restore(ctx context.Context) (Shared, error)
	// Noticed reports whether that ledger knows that it went back in time, so that it opens for a recovery only.
	Noticed() bool
}
