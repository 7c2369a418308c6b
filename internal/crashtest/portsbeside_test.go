package crashtest

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// trappedJournal can die around a note and a sweeper's beat.
type trappedJournal struct {
	call.Journal
	trap *trap
}

// Note implements call.Journal.
func (j trappedJournal) Note(ctx context.Context, n call.Note) error {
	defer j.trap.around("note")()
	return j.Journal.Note(ctx, n)
}

// Beat implements call.Journal.
func (j trappedJournal) Beat(ctx context.Context, at time.Time) error {
	defer j.trap.around("beat")()
	return j.Journal.Beat(ctx, at)
}

// trappedCells can die around the write of a cell and the removal of expired ones.
type trappedCells struct {
	call.Cells
	trap *trap
}

// SetCell implements call.Cells.
func (c trappedCells) SetCell(ctx context.Context, cell call.Cell) (call.Cell, bool, error) {
	defer c.trap.around("set cell")()
	return c.Cells.SetCell(ctx, cell)
}

// PruneCells implements call.Cells.
func (c trappedCells) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	defer c.trap.around("prune cells")()
	return c.Cells.PruneCells(ctx, now, limit)
}

// trappedParking can die around the keeping of a record and its end.
type trappedParking struct {
	call.Parking
	trap *trap
}

// Park implements call.Parking.
func (p trappedParking) Park(ctx context.Context, record call.Parked) (bool, error) {
	defer p.trap.around("park")()
	return p.Parking.Park(ctx, record)
}

// CloseParked implements call.Parking.
func (p trappedParking) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	defer p.trap.around("close parked")()
	return p.Parking.CloseParked(ctx, id, end, at)
}

// trappedAdmin can die around what begins and ends a recovery.
type trappedAdmin struct {
	app.Admin
	trap *trap
}

// BeginRecovery implements app.Admin.
func (a trappedAdmin) BeginRecovery(ctx context.Context, r call.Recovery) error {
	defer a.trap.around("begin recovery")()
	return a.Admin.BeginRecovery(ctx, r)
}

// CloseRecovery implements app.Admin.
func (a trappedAdmin) CloseRecovery(ctx context.Context) error {
	defer a.trap.around("close recovery")()
	return a.Admin.CloseRecovery(ctx)
}
