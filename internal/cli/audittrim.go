package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
)

// auditTrimCommand removes old days of a log.
type auditTrimCommand struct {
	writerFlag

	Before time.Time `required:"" format:"2006-01-02" placeholder:"DAY" help:"The days before this one go (UTC); the newest one stays in any case. Export them first if they are to be kept elsewhere."`
	Reason string    `required:"" placeholder:"TEXT" help:"Why; it is kept in both logs, of the command line and the one that is trimmed."`
	Actor  string    `placeholder:"NAME" help:"Who decided it; default: the user of this process."`
	DryRun bool      `help:"Only say what would be removed; also beside a service that writes the log."`
	JSON   bool      `help:"Print one JSON object."`
}

// trimmedLog is the JSON form of the answer.
type trimmedLog struct {
	Writer string `json:"writer"`
	DryRun bool   `json:"dryRun,omitempty"`
	auditlog.Removal
}

// Run implements the command.
func (x *auditTrimCommand) Run(ctx context.Context, e *environment) error {
	c, writers, err := x.writers(e)
	if err != nil {
		return err
	}
	if len(writers) > 1 {
		return misused("There are several audit logs: "+strings.Join(writers, ", ")+".", "Choose one with --writer.")
	}
	writer, keep := writers[0], auditlog.Keep{Before: x.Before.Format(time.DateOnly)}
	planned, err := auditlog.Plan(os.DirFS(filepath.Join(c.AuditDir(), writer)), keep)
	if err != nil || x.DryRun || len(planned.Days) == 0 {
		return errors.Join(x.explain(err), x.print(e, writer, planned, err))
	}
	d := deed{action: "trimAudit", actor: e.actorOf(x.Actor), target: "log:" + writer + " before:" + keep.Before, reason: x.Reason, guarded: true}
	return e.did(ctx, c, d, func() error {
		done, err := x.trim(e, c, writer, keep)
		return errors.Join(x.explain(err), x.print(e, writer, done, err))
	})
}

func (x *auditTrimCommand) trim(e *environment, c *app.Config, writer string, keep auditlog.Keep) (done auditlog.Removal, err error) {
	log, err := guards.OpenAudit(c, writer, e.Clock, e.Random, writer == guards.WriterCommand)
	if err != nil {
		return done, err //nolint:wrapcheck // it names the field and the next step
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return log.Trim(keep, x.Reason)
}

// explain makes an error one that says what to do.
func (x *auditTrimCommand) explain(err error) error {
	if errors.Is(err, auditlog.ErrTampered) {
		return &complaint{ExitRefused, "Nothing was removed: what would go does not verify: " + oneLine(err.Error()) + ".", "Run `ringonce audit verify`, keep a copy of the log, and look for who changed it."}
	}
	return err
}

func (x *auditTrimCommand) print(e *environment, writer string, r auditlog.Removal, failure error) error {
	if failure != nil && len(r.Days) == 0 {
		return nil
	}
	if x.JSON {
		return printJSON(e.Stdout, trimmedLog{Writer: writer, DryRun: x.DryRun, Removal: r})
	}
	if len(r.Days) == 0 {
		_, err := fmt.Fprintf(e.Stdout, "%s: nothing to remove: no day but the newest is before %s\n", plain(writer), x.Before.Format(time.DateOnly))
		return err
	}
	verb := "removed"
	if x.DryRun {
		verb = "would be removed"
	}
	_, err := fmt.Fprintf(e.Stdout, "%s: %s %s, %s to %s; %s\n", plain(writer), plural(len(r.Days), "day", "days"), verb, r.Days[0], r.Days[len(r.Days)-1], plural(int(r.Records), "record", "records"))
	return err
}
