package app

import (
	"io"
	"log/slog"
	"strings"
	"time"
)

// NewLogger returns the log of a process: JSON lines unless the format is text, from level info unless another is named. Unknown
// levels and formats were refused by Validate.
func NewLogger(w io.Writer, l Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: logLevel(l.Level), ReplaceAttr: utcTime}
	if l.Format == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

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
