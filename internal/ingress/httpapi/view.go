package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

func text(s string) oas.OptString {
	if s == "" {
		return oas.OptString{}
	}
	return oas.NewOptString(s)
}

func instant(t time.Time) oas.OptDateTime {
	if t.IsZero() {
		return oas.OptDateTime{}
	}
	return oas.NewOptDateTime(t.UTC())
}

// number leaves out a zero.
func number(n int) oas.OptInt {
	if n == 0 {
		return oas.OptInt{}
	}
	return oas.NewOptInt(n)
}

func flag(b bool) oas.OptBool {
	if !b {
		return oas.OptBool{}
	}
	return oas.NewOptBool(true)
}

// seen returns the call of an id, as far as the asker may see it.
func (a *api) seen(ctx context.Context, id string) (call.Call, error) {
	row, err := a.rowAt(ctx, id)
	if errors.Is(err, call.ErrNotFound) || err == nil && !askedOf(ctx).who.Sees(row.Key.KeySpace) {
		return call.Call{}, errUnknown()
	}
	return row, err
}

// rowAt returns the row of an id that came from outside. One that no row can have is not asked for: a ledger may fail on it (PostgreSQL on U+0000), and who may
// only look would raise its alarm.
func (a *api) rowAt(ctx context.Context, id string) (call.Call, error) {
	if !isRow(id) {
		return call.Call{}, call.ErrNotFound
	}
	return a.Ledger.Get(ctx, id)
}

// isRow reports whether a text has the form of a row's id (call.Naming.Row).
func isRow(id string) bool {
	hash, err := base64.RawURLEncoding.DecodeString(id)
	return err == nil && len(hash) == sha256.Size && len(id) == base64.RawURLEncoding.EncodedLen(sha256.Size) // without the line feeds that the reader skips
}

// isText reports whether an id or a name of the ledger can be this text: it is valid UTF-8 without control characters.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// firstOf returns the first row of the key that a row belongs to; a row whose first one is missing stands for it.
func (a *api) firstOf(ctx context.Context, row call.Call) (call.Call, error) {
	if row.Ring == 0 {
		return row, nil
	}
	first, err := a.Ledger.Get(ctx, cmp.Or(row.FirstRow, a.Engine.Naming.Row(row.Key, 0)))
	if errors.Is(err, call.ErrNotFound) {
		return row, nil
	}
	return first, err
}

// view is a call as it is shown, its number masked.
func (a *api) view(ctx context.Context, row call.Call) (oas.Call, error) {
	first, err := a.firstOf(ctx, row)
	if err != nil {
		return oas.Call{}, err
	}
	shown := oas.Call{
		ID: row.ID, NotificationId: row.Key.NotificationID, RecipientId: row.Key.RecipientID, RecallId: text(row.Key.RecallID),
		KeySpace: text(row.Key.KeySpace), Kind: string(cmp.Or(row.Key.Kind, call.KindVoice)), Ring: row.Ring, RecallCount: first.LastRing,
		State: oas.State(row.State), Outcome: text(string(row.Outcome)), Destination: text(row.Phone().String()), Profile: text(a.profileOf(row)),
		Producer: text(row.Producer), ContactId: text(row.ContactID), AcceptedAt: row.AcceptedAt.UTC(), PlacedAt: instant(row.PlacedAt),
		FinalAt: instant(row.FinalAt), ForgottenAt: instant(row.Forgotten), Due: instant(row.DueAt()), DueReason: text(row.DueReason),
		Code: text(string(row.Code)), Message: text(row.Message),
	}
	if row.State == call.InDoubt {
		shown.Looks, shown.NextLook, shown.SettledAt = oas.NewOptInt(row.Looks), instant(row.Due), instant(row.SettledAt())
	}
	if tells(ctx, row) {
		shown.ClientToken = text(row.Token)
	}
	return shown, nil
}

// profileOf is the name of the profile that a call is dialed with: the one it asked for, or the default.
func (a *api) profileOf(row call.Call) string {
	if p, ok := a.Engine.Profile(row.Profile); ok && row.Profile == "" {
		return p.Name
	}
	return row.Profile
}

// holdReason says why a call that was received is not dialed yet. A next ring is made without a reason of its own.
func holdReason(row call.Call) string {
	switch {
	case row.DueReason != "":
		return row.DueReason
	case row.Cause == call.CauseRule:
		return "recall_wait"
	}
	return "accepted"
}
