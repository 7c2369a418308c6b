package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

// auditGroup holds the commands about the log of what operators and producers did.
type auditGroup struct {
	Verify auditVerifyCommand `cmd:"" help:"Look for any change in the audit logs, and hold them against what is remembered of them; ends with 3 when there is one."`
	Tail   auditTailCommand   `cmd:"" help:"Print the newest records of the audit logs."`
	Export auditExportCommand `cmd:"" help:"Print the records as JSON lines or CSV."`
	Trim   auditTrimCommand   `cmd:"" help:"Remove the oldest days of an audit log that nobody writes; the rest verifies as before."`
}

// writerFlag chooses logs.
type writerFlag struct {
	Writer string `placeholder:"NAME" help:"Only the log of this writer: serve or command."`
}

// writers returns the logs there are, in the order of their names, with the directory of each.
func (f writerFlag) writers(e *environment) (*app.Config, []string, error) {
	c, err := e.standing()
	if err != nil {
		return nil, nil, err
	}
	dir := c.AuditDir()
	if dir == "" {
		return nil, nil, noAudit("This configuration has no audit log.")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, failed("The directory of the audit log cannot be read: "+errors.Unwrap(err).Error()+".", "Check its permissions.")
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() {
			found = append(found, entry.Name())
		}
	}
	// What is remembered of a log that is gone is a finding, so the heads are looked through as well.
	heads, err := os.ReadDir(c.AuditHeadsDir())
	if err == nil {
		for _, head := range heads {
			if head.Type().IsRegular() && !strings.HasPrefix(head.Name(), ".") {
				found = append(found, head.Name())
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if f.Writer != "" {
		found = slices.DeleteFunc(found, func(name string) bool { return name != f.Writer })
	}
	if len(found) == 0 {
		return nil, nil, noAudit("There is no audit log yet in " + dir + ".")
	}
	return c, found, nil
}

func noAudit(message string) error {
	return &call.Error{Code: call.CodeConfiguration, Field: "access.audit_dir", Message: message, Fix: "Set access.audit_dir, or use a ledger on SQLite or PostgreSQL, beside whose file or witness it lies."}
}

// auditVerdict is the JSON form of what was found in one log.
type auditVerdict struct {
	Writer string `json:"writer"`
	auditlog.Report
	Sound bool `json:"sound"`
}

// auditVerifyCommand verifies logs.
type auditVerifyCommand struct {
	writerFlag

	Head    string `type:"existingfile" placeholder:"FILE" help:"A copy of the head that was kept elsewhere, instead of the one in access.audit_heads_dir; with --writer."`
	Running bool   `help:"A writer is at work: the end of a log may be ahead of what is remembered."`
	JSON    bool   `help:"Print one JSON object a log."`
}

// Run implements the command.
func (x *auditVerifyCommand) Run(_ context.Context, e *environment) error {
	if x.Head != "" && x.Writer == "" {
		return misused("--head is of one log.", "Name its writer with --writer.")
	}
	c, writers, err := x.writers(e)
	if err != nil {
		return err
	}
	sound := true
	for _, writer := range writers {
		verdict, err := x.judge(c, writer)
		if err != nil {
			return err
		}
		sound = sound && verdict.Sound
		if x.JSON {
			err = printJSON(e.Stdout, verdict)
		} else {
			err = verdict.print(e)
		}
		if err != nil {
			return err
		}
	}
	if !sound {
		return endWith(ExitRefused)
	}
	return nil
}

func (x *auditVerifyCommand) judge(c *app.Config, writer string) (auditVerdict, error) {
	path := guards.HeadFile(c, writer)
	if x.Head != "" {
		path = x.Head
	}
	head, err := auditlog.ReadHead(path) // before the log, so that a log that is written meanwhile is ahead and never behind
	bad := err
	report, err := auditlog.Verify(os.DirFS(filepath.Join(c.AuditDir(), writer)), auditlog.Against{Head: head, Running: x.Running})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		report.Findings = append(report.Findings, auditlog.Finding{What: "the log is gone, and a head of it is remembered"})
	case err != nil:
		return auditVerdict{}, failed("The audit log of "+writer+" cannot be read: "+err.Error()+".", "Check its permissions.")
	}
	switch {
	case bad != nil:
		report.Findings = append(report.Findings, auditlog.Finding{What: "the remembered head cannot be read"})
	case head == nil:
		report.Findings = append(report.Findings, auditlog.Finding{What: "no head is remembered, so an end that was cut off cannot be seen"})
	}
	return auditVerdict{Writer: writer, Report: report, Sound: report.Sound()}, nil
}

func (v auditVerdict) print(e *environment) error {
	for _, f := range v.Findings {
		where := v.Writer
		if f.File != "" {
			where += ": " + f.File
		}
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		if _, err := fmt.Fprintf(e.Stdout, "%s: %s\n", plain(where), plain(f.What)); err != nil {
			return err
		}
	}
	last := "sound"
	if !v.Sound {
		last = "NOT sound: keep copies of the log and of the head before anything else"
	}
	if v.ClockBack > 0 {
		last += fmt.Sprintf("; the clock went back %d times", v.ClockBack)
	}
	if v.Trimmed > 0 {
		last += fmt.Sprintf("; %s before them removed, as the log says", plural(int(v.Trimmed), "record was", "records were"))
	}
	_, err := fmt.Fprintf(e.Stdout, "%s: %s, %s\n", plain(v.Writer), plural(int(v.Records), "record", "records"), last)
	return err
}

// auditTailCommand prints the newest records.
type auditTailCommand struct {
	writerFlag

	Number     int    `short:"n" default:"20" placeholder:"N" help:"How many of all logs together."`
	NumberFile string `placeholder:"FILE" help:"Of these records only those about the phone number in this file, - for standard input. Where the salt of a day was erased nobody can tell any more."`
	JSON       bool   `help:"Print one JSON object a record."`
}

// writtenRecord is a record with the writer of its log.
type writtenRecord struct {
	Writer string `json:"writer"`
	auditlog.Record
}

// Run implements the command.
func (x *auditTailCommand) Run(_ context.Context, e *environment) error {
	if x.Number < 1 || x.Number > 100_000 {
		return misused("-n is not between 1 and 100000.", "Use ringonce audit export for more.")
	}
	number, err := oneNumber(e, x.NumberFile, "Look for one number after the other.")
	if err != nil {
		return err
	}
	c, writers, err := x.writers(e)
	if err != nil {
		return err
	}
	var all []writtenRecord
	for _, writer := range writers {
		records, err := auditlog.Tail(os.DirFS(filepath.Join(c.AuditDir(), writer)), x.Number)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("The audit log of "+writer+" cannot be read: "+err.Error()+".", "Check its permissions.")
		}
		for _, r := range records {
			all = append(all, writtenRecord{writer, r})
		}
	}
	slices.SortStableFunc(all, func(a, b writtenRecord) int { return a.At.Compare(b.At) })
	all = all[max(0, len(all)-x.Number):]
	if !number.IsZero() {
		if all, err = about(c.AuditDir(), number, all); err != nil {
			return err
		}
	}
	return x.print(e, all)
}

// about leaves the records about a number, by their digests.
func about(dir string, number call.Phone, all []writtenRecord) (found []writtenRecord, err error) {
	for _, r := range all {
		if r.Personal[personalNumber] == "" {
			continue
		}
		same, err := auditlog.Matches(filepath.Join(dir, r.Writer), r.Record, personalNumber, number.Wire())
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist): // one whose salt was erased is of nobody
			return nil, failed("The salt of "+r.Day+" cannot be read: "+err.Error()+".", "Check its permissions.")
		case same:
			found = append(found, r)
		}
	}
	return found, nil
}

// shortDigest is how much of a digest a table shows: enough to see which records of a day are about one number.
const shortDigest = 12

// concerned is what a record is about beside a call, for a table.
func concerned(r auditlog.Record) string {
	shown := []string{r.Target}
	for _, name := range slices.Sorted(maps.Keys(r.Personal)) {
		shown = append(shown, name+"#"+r.Personal[name][:min(shortDigest, len(r.Personal[name]))])
	}
	return strings.TrimSpace(strings.Join(shown, " "))
}

func (x *auditTailCommand) print(e *environment, all []writtenRecord) error {
	rows := [][]string{{"AT", "WRITER", "SEQ", "KIND", "ACTOR", "ACTION", "CALL", "TARGET", "ANSWER", "REASON"}}
	for _, r := range all {
		if x.JSON {
			if err := printJSON(e.Stdout, r); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{stamp(r.At), r.Writer, fmt.Sprint(r.Seq), r.Kind, r.Actor, r.Action, r.CallID, concerned(r.Record), r.Answer, r.Reason})
	}
	if x.JSON {
		return nil
	}
	return table(e.Stdout, rows)
}

// auditExportCommand prints records for other programs.
type auditExportCommand struct {
	writerFlag

	Format string    `enum:"json,csv" default:"json" help:"json: one object a line; csv: for a spreadsheet, which runs nothing of it as a formula."`
	From   time.Time `format:"2006-01-02" placeholder:"DAY" help:"From this day on (UTC)."`
	To     time.Time `format:"2006-01-02" placeholder:"DAY" help:"Before this day (UTC)."`
}

// Run implements the command.
func (x *auditExportCommand) Run(_ context.Context, e *environment) error {
	c, writers, err := x.writers(e)
	if err != nil {
		return err
	}
	if len(writers) > 1 {
		return misused("There are several audit logs: "+strings.Join(writers, ", ")+".", "Choose one with --writer.")
	}
	if err := auditlog.Export(e.Stdout, os.DirFS(filepath.Join(c.AuditDir(), writers[0])), auditlog.Format(x.Format), x.From, x.To); err != nil {
		return failed("The audit log cannot be exported: "+err.Error()+".", "Run `ringonce audit verify`.")
	}
	return nil
}
