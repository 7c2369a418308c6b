package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

// keepAuditEvery is how often a service looks whether a new day has made an old one go.
const keepAuditEvery = time.Hour

// keptDays is the reason in the log of a removal that nobody ordered by hand.
const keptDays = "access.audit_keep_days"

// keepAudit removes the days of the audit log that access.audit_keep_days does not keep, at the start and while the service runs. What cannot be removed is an
// alarm, once, and is tried again.
func (s *serving) keepAudit(ctx context.Context, log *auditlog.Log) {
	days := s.config.Access.AuditKeepDays
	if log == nil || days == 0 {
		return
	}
	told := ""
	for ctx.Err() == nil {
		r, err := log.Trim(auditlog.Keep{Days: days}, keptDays)
		if len(r.Days) > 0 {
			s.log.InfoContext(ctx, "audit log trimmed", slog.Int("days", len(r.Days)), slog.Int64("records", r.Records), slog.String("through", r.Day))
			s.app.Observer.Decided(ctx, call.Decided{What: "audit-trimmed"})
		}
		switch {
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			s.app.Observer.Decided(ctx, call.Decided{What: "audit-trim-failed", Reason: told, Alarm: true})
		}
		if s.Clock.Sleep(ctx, keepAuditEvery) != nil {
			return
		}
	}
}

// keep removes the days of the log of the command line that access.audit_keep_days does not keep. A command does what it was told all the same.
func (b *book) keep(days int) {
	if days == 0 {
		return
	}
	if _, err := b.log.Trim(auditlog.Keep{Days: days}, keptDays); err != nil {
		fmt.Fprintln(b.Stderr, "ringonce: warning: the old days of the audit log could not be removed: "+plain(oneLine(err.Error())))
	}
}
