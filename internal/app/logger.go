package app

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// NewLogger returns the log of a process: JSON lines unless the format is text, from level info unless another is named. Unknown
// levels and formats were refused by Validate. Lines of an invocation carry its id as requestId, as those of Lambda itself do; lines of a
// delivery carry its trace.
func NewLogger(w io.Writer, l Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: logLevel(l.Level), ReplaceAttr: utcTime}
	if l.Format == "text" {
		return slog.New(aware{slog.NewTextHandler(w, options)})
	}
	return slog.New(aware{slog.NewJSONHandler(w, options)})
}

// aware adds to each line what its context knows.
type aware struct{ slog.Handler }

// Handle implements slog.Handler.
func (h aware) Handle(ctx context.Context, r slog.Record) error {
	if id := requestIDOf(ctx); id != "" {
		r.AddAttrs(slog.String("requestId", id))
	}
	if t := call.TraceOf(ctx); !t.IsZero() {
		r.AddAttrs(slog.String("trace", t.String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h aware) WithAttrs(attrs []slog.Attr) slog.Handler { return aware{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h aware) WithGroup(name string) slog.Handler { return aware{h.Handler.WithGroup(name)} }

func logLevel(name string) slog.Level {
	switch strings.ToLower(name) {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

// utcTime writes the time of a line in UTC, as every other time of this program is written.
func utcTime(groups []string, a slog.Attr) slog.Attr {
	if at, ok := a.Value.Any().(time.Time); ok && len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Time(a.Key, at.UTC())
	}
	return a
}
