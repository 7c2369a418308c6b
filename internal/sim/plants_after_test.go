package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// plantsAfter are defects of what comes after rings and of what keeps them.
func plantsAfter() []planted {
	config := func(change func(*app.Config)) func() sim.Plant {
		return func() sim.Plant { return sim.Plant{Config: change} }
	}
	profiles := func(change func(*app.Profile)) func() sim.Plant {
		return config(func(c *app.Config) {
			for name, p := range c.Profiles {
				change(&p)
				c.Profiles[name] = p
			}
		})
	}
	writes := func(kind call.EventKind, change func(*call.Call, call.Event)) func() sim.Plant {
		return func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return changingLedger{l, kind, change} }}
		}
	}
	return []planted{
		{"a budget of one more", profiles(func(p *app.Profile) {
			if p.Recall.Budget > 0 {
				p.Recall.Budget++
			}
		}), "of one wish, and", false},
		{"a wait that is cut short", profiles(func(p *app.Profile) {
			if p.Recall.Budget > 0 {
				p.Recall.Wait = map[string]string{"busy": "1m", "no_answer": "5m", "answered": "5m", "blocked": "5m", "unknown": "5m"}
			}
		}), "after the end of the ring before", false},
		{"no quiet hours", profiles(func(p *app.Profile) { p.Hours, p.TimeZone = nil, "" }), "in quiet hours", true},
		{"hours that end an hour late", profiles(func(p *app.Profile) {
			if len(p.Hours) > 0 && p.Hours[0] == "09:00-20:00" {
				p.Hours = []string{"09:00-21:00"}
			}
		}), "in quiet hours", false},
		{"no caps", config(func(c *app.Config) { c.Limits.PerNumber = nil }), "rang the number as the", false},
		{"no speed limit", config(func(c *app.Config) { c.Limits.Velocity = nil }), "rang as the", false},
		{"no concurrency limit", config(func(c *app.Config) { c.Limits.Concurrent, c.Limits.SlotLease = 0, "" }), "contact at once", false},
		{"switches that are read once", func() sim.Plant {
			return sim.Plant{Cells: func(c call.Cells) call.Cells { return staleCells{c, map[string]call.Cell{}} }}
		}, "is paused since", false},
		{"an acknowledgment that is not kept", func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return droppingLedger{l, call.EventCancelRequested} }}
		}, "acknowledged", false},
		{"what is not over is followed", writes(call.EventResult, func(c *call.Call, e call.Event) {
			if c.State == call.Placed && c.Follows {
				c.Outcome, c.Due, c.DueReason = call.OutcomeUnknown, e.At, "follow"
			}
		}), "was rung", false},
		{"a doubt is followed", writes(call.EventDoubted, func(c *call.Call, e call.Event) {
			c.State, c.ContactID, c.Outcome, c.Due, c.DueReason, c.Open = call.Placed, "00000000-0000-4000-8000-000000000000", call.OutcomeNoAnswer, e.At, "follow", nil
		}), "which is in doubt", false},
		{"a list without its first recipient", writes(call.EventEscalated, func(c *call.Call, _ call.Event) {
			if c.Turn != nil && len(c.Escalation) > 1 {
				c.Turn.Recipient = c.Escalation[1]
			}
		}), "was next", false},
		{"a list that is not kept", writes(call.EventAccepted, func(c *call.Call, _ call.Event) { c.Escalation = nil }), "nobody has confirmed", false},
		{"one word of DescribeContact taken for another", func() sim.Plant {
			return sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return mishearingDialer{d} }}
		}, "the outcome of", true},
	}
}

func TestEachPlantedDefectOfWhatComesAfterIsSeen(t *testing.T) {
	for _, d := range plantsAfter() {
		t.Run(d.name, func(t *testing.T) { seeDefect(t, d) })
	}
}

// changingLedger changes rows on their way into the ledger, at writes of one kind.
type changingLedger struct {
	call.Ledger
	kind   call.EventKind
	change func(*call.Call, call.Event)
}

func (l changingLedger) changed(w call.Write) call.Write {
	if event, err := w.Entry.Event(); err == nil && w.Entry.Kind == l.kind {
		if w.Row.Turn != nil {
			turn := *w.Row.Turn
			w.Row.Turn = &turn
		}
		l.change(&w.Row, event)
	}
	return w
}

// Create implements call.Ledger.
func (l changingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.Ledger.Create(ctx, l.changed(w))
}

// Update implements call.Ledger.
func (l changingLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.Ledger.Update(ctx, l.changed(w))
}

// blindCells write over whatever is there.
type blindCells struct{ call.Cells }

// SetCell implements call.Cells.
func (c blindCells) SetCell(ctx context.Context, cell call.Cell) (call.Cell, bool, error) {
	now, ok, err := c.Cells.SetCell(ctx, cell)
	if err == nil && !ok {
		cell.Version = now.Version + 1
		return c.Cells.SetCell(ctx, cell)
	}
	return now, ok, err
}

// staleCells show the switches of an hour as they were at its first reading.
type staleCells struct {
	call.Cells
	read map[string]call.Cell
}

// Cell implements call.Cells.
func (c staleCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	if name != "switches" {
		return c.Cells.Cell(ctx, name)
	}
	hour := time.Now().Truncate(time.Hour).String()
	if cell, known := c.read[hour]; known {
		return cell, nil
	}
	cell, err := c.Cells.Cell(ctx, name)
	if err == nil {
		c.read[hour] = cell
	}
	return cell, err
}

// mishearingDialer takes busy lines for people who do not answer.
type mishearingDialer struct{ call.Dialer }

// Describe implements call.Dialer.
func (d mishearingDialer) Describe(ctx context.Context, t call.Target, id string) (call.Contact, error) {
	c, err := d.Dialer.Describe(ctx, t, id)
	if c.Sight.Reason.Text == "TELECOM_BUSY" {
		c.Sight.Reason.Text = "TELECOM_UNANSWERED"
	}
	return c, err
}
