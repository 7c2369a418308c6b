package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
)

// dayFiles returns the files of the days of a log, without what is around the day.
func dayFiles(t *testing.T, audit, writer string) (days []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(audit, writer, "audit-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		days = append(days, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "audit-"), ".jsonl"))
	}
	return days
}

// pauseDaily pauses and resumes on so many days in a row.
func (d *desk) pauseDaily(days int) {
	d.t.Helper()
	d.serve().stop() // makes the ledger
	for range days {
		d.run(ExitOK, "pause", "--profile", "alert", "--reason", "a flood")
		d.run(ExitOK, "resume", "--profile", "alert", "--reason", "it is over")
		d.clock.advance(24 * time.Hour)
	}
}

func TestOldDaysOfAnAuditLogAreRemovedByACommandThatIsInIt(t *testing.T) {
	t.Parallel()
	d, audit, _ := auditedDesk(t)
	d.pauseDaily(5)
	days := dayFiles(t, audit, "command")
	before := []string{"audit", "trim", "--writer", "command", "--before", days[3], "--reason", "kept for two days", "--actor", "kim"}
	planned, _ := d.run(ExitOK, append(before, "--dry-run")...)
	says(t, planned, "command: 3 days would be removed, "+days[0]+" to "+days[2], "records")
	if left := dayFiles(t, audit, "command"); !slices.Equal(left, days) {
		t.Errorf("a dry run left %q", left)
	}
	told, _ := d.run(ExitOK, append(before, "--json")...)
	var answer struct {
		Writer  string
		Days    []string
		Records int64
		Seq     int64
	}
	if err := json.Unmarshal([]byte(told), &answer); err != nil || !slices.Equal(answer.Days, days[:3]) || answer.Writer != "command" || answer.Records != answer.Seq {
		t.Errorf("%s: %v", told, err)
	}
	if left := dayFiles(t, audit, "command"); len(left) != 3 || !slices.Equal(left[:2], days[3:]) {
		t.Errorf("what is left is %q", left)
	}
	sound, _ := d.run(ExitOK, "audit", "verify", "--writer", "command")
	says(t, sound, "sound", fmt.Sprintf("%d records were before them removed, as the log says", answer.Seq))
	tail, _ := d.run(ExitOK, "audit", "tail", "--writer", "command")
	says(t, tail, "log.trimmed", "trimAudit", "kim", "kept for two days", "begun")
	nothing, _ := d.run(ExitOK, before...)
	says(t, nothing, "nothing to remove")
}

func TestALogThatAServiceWritesIsPlannedForAndNotTrimmedByACommand(t *testing.T) {
	t.Parallel()
	d, audit, keys := auditedDesk(t)
	s := d.serve()
	for range 3 {
		d.clock.advance(24 * time.Hour)
		s.send("POST", "/v1/pauses", keys["kim"], `{"target":"all","reason":"a flood"}`)
	}
	days := dayFiles(t, audit, "serve")
	last := days[len(days)-1]
	_, said := d.run(ExitUsage, "audit", "trim", "--before", last, "--reason", "old")
	says(t, said, "several audit logs", "--writer")
	planned, _ := d.run(ExitOK, "audit", "trim", "--writer", "serve", "--before", last, "--reason", "old", "--dry-run")
	says(t, planned, "would be removed, "+days[0])
	_, said = d.run(ExitUsage, "audit", "trim", "--writer", "serve", "--before", last, "--reason", "old")
	says(t, said, "is written by another process", "access.audit_keep_days")
	s.stop()
	if left := dayFiles(t, audit, "serve"); !slices.Equal(left, days) {
		t.Errorf("what is left is %q", left)
	}
	broken := filepath.Join(audit, "serve", "audit-"+days[0]+".jsonl")
	text, err := os.ReadFile(broken)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, bytes.Replace(text, []byte("log.genesis"), []byte("log.Genesis"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said = d.run(ExitRefused, "audit", "trim", "--writer", "serve", "--before", last, "--reason", "old")
	says(t, said, "Nothing was removed", "audit verify")
}

func TestTheLogOfTheCommandLineKeepsTheDaysOfItsConfiguration(t *testing.T) {
	t.Parallel()
	d, audit, _ := auditedDesk(t)
	d.pauseDaily(3)
	text, err := os.ReadFile(d.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.config, []byte(strings.Replace(string(text), "access: {", "access: {audit_keep_days: 7, ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.pauseDaily(9)
	if left := dayFiles(t, audit, "command"); len(left) != 7 && len(left) != 8 { // the removal comes when the day's first record is not written yet
		t.Errorf("what is left is %q", left)
	}
	d.run(ExitOK, "audit", "verify", "--writer", "command")
}

// hourly is a clock that moves on when somebody sleeps, and lets something happen meanwhile.
type hourly struct {
	now   time.Time
	hours int
	hour  func(n int)
}

func (c *hourly) Now() time.Time { return c.now }

func (c *hourly) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.hours++
	c.hour(c.hours)
	return ctx.Err()
}

func TestAServiceRemovesADayWhenANewOneBeginsAndAlarmsOnceWhenItCannot(t *testing.T) {
	t.Parallel()
	d, audit, _ := auditedDesk(t)
	e := d.environment(d.clock)
	a, err := e.open(t.Context(), opening{service: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	clock := &hourly{now: d.clock.Now()}
	e.Clock = clock
	log, err := guards.OpenAudit(a.Config, guards.WriterService, clock, e.Random, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	const days = 20
	most := 0
	clock.hour = func(n int) {
		if err := log.Append(ctx, auditlog.Act{Actor: "kim", Kind: "operator", Action: "pause"}); err != nil {
			t.Error(err)
		}
		left := dayFiles(t, audit, "serve")
		most = max(most, len(left))
		if n == 15*24 { // what verifies no more stays
			broken := filepath.Join(audit, "serve", "audit-"+left[0]+".jsonl")
			if err := os.WriteFile(broken, []byte("nothing\n"), 0o600); err != nil {
				t.Error(err)
			}
		}
		if n == days*24 {
			end()
		}
	}
	a.Config.Access.AuditKeepDays = 7
	var out bytes.Buffer
	s := &serving{environment: e, app: a, config: a.Config, log: slog.New(slog.NewJSONHandler(&out, nil))}
	s.keepAudit(ctx, log)
	if left := dayFiles(t, audit, "serve"); len(left) < 11 || len(left) > 13 || most != len(left) {
		t.Errorf("%d days are left, at most %d were there", len(left), most)
	}
	if n := strings.Count(out.String(), "audit log trimmed"); n != 9 && n != 8 {
		t.Errorf("%d removals:\n%s", n, out.String())
	}
	if failures := a.Observer.Counts()[app.Metric{What: "audit-trim-failed"}]; failures != 1 {
		t.Errorf("%d alarms of %v", failures, a.Observer.Counts())
	}
}
