package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// written returns the records of the command line's log, as "ACTION ANSWER TARGET" each, and all of it as text.
func (d *desk) written() (acts []string, text string) {
	d.t.Helper()
	d.run(ExitOK, "audit", "verify", "--writer", "command")
	text, _ = d.run(ExitOK, "audit", "export", "--writer", "command")
	for _, r := range each[auditlog.Record](d.t, text) {
		if r.Kind == "operator" {
			acts = append(acts, strings.TrimSpace(r.Action+" "+r.Answer+" "+r.Target))
		}
		if r.Kind == "operator" && r.Actor != "kim" {
			d.t.Errorf("%s is by %q", r.Action, r.Actor)
		}
	}
	return acts, text
}

func TestEveryCommandThatChangesSomethingIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	d.add("do_not_call: {key_file: \"" + d.write("key", strings.Repeat("k", 32)) + "\"}\n")
	calls := d.held()
	by := func(want int, args ...string) { d.run(want, append(args, "--actor", "kim")...) }
	number := d.write("numbers", "+819000000077\n+819000000078\n")
	by(ExitOK, "pause", "--profile", "alert", "--reason", "a flood")
	by(ExitOK, "resume", "--profile", "alert", "--reason", "it is over")
	by(ExitRefused, "resume", "--profile", "alert", "--reason", "once more")
	by(ExitOK, "dnc", "add", "--number-file", number, "--reason", "they asked")
	by(ExitOK, "dnc", "rm", "--number-file", number, "--reason", "by mistake")
	by(ExitOK, "held", "release", calls[0].ID, "--reason", "urgent")
	by(ExitOK, "held", "drop", calls[1].ID, "--reason", "no more")
	by(ExitOK, "calls", "cancel", calls[1].ID)
	by(ExitOK, "calls", "acknowledge", calls[0].ID)
	by(ExitRefused, "doubt", "close", calls[0].ID, "--note", "I asked them")
	by(ExitOK, "calls", "recall", calls[0].ID, "--reason", "they called")
	d.clock.advance(30 * 24 * time.Hour)
	by(ExitOK, "calls", "forget", "user-1", "--reason", "a request")
	acts, text := d.written()
	want := []string{
		"pause ok profile:alert", "resume begun profile:alert", "resume ok profile:alert", "resume begun profile:alert", "resume not_paused profile:alert",
		"addDoNotCall ok", "addDoNotCall ok", "removeDoNotCall begun", "removeDoNotCall ok", "removeDoNotCall begun", "removeDoNotCall ok",
		"releaseHeld begun", "releaseHeld ok", "dropHeld ok", "cancelCall ok", "acknowledgeCall ok", "closeDoubt begun", "closeDoubt not_in_doubt",
		"recallCall begun", "recallCall ok", "forget begun", "forget ok",
	}
	if got := strings.Join(acts, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s", got)
	}
	says(t, text, `"callId":"`+calls[0].ID, "a flood", `"personal":{"number":"`, `"personal":{"recipient":"`)
	if strings.Contains(text, "user-1") || strings.Contains(text, "8190") {
		t.Errorf("a person is in the log: %s", text)
	}
	found, _ := d.run(ExitOK, "audit", "tail", "--number-file", d.write("one", "+819000000077\n"))
	if strings.Count(found, "addDoNotCall") != 1 || strings.Count(found, "removeDoNotCall") != 2 {
		t.Errorf("the records about one number: %s", found)
	}
}

func TestWithoutAnAuditLogOnlyWhatKeepsPhonesSilentIsDone(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	calls := d.held()
	blocked := filepath.Join(d.dir, "audit", "command", "audit-"+d.clock.Now().UTC().Format(time.DateOnly)+".jsonl")
	if err := os.MkdirAll(blocked, 0o700); err != nil { // so that nobody can write there, also not root
		t.Fatal(err)
	}
	for _, silent := range [][]string{{"pause", "--all", "--reason", "a flood"}, {"calls", "cancel", calls[1].ID}, {"held", "drop", calls[0].ID, "--reason", "no more"}} {
		_, told := d.run(ExitOK, silent...)
		says(t, told, "warning: this could not be written into the audit log")
	}
	for _, loud := range [][]string{{"resume", "--all", "--reason", "it is over"}, {"calls", "recall", calls[1].ID, "--reason", "they called"}, {"calls", "forget", "user-1", "--reason", "a request"}} {
		_, told := d.run(ExitEnvironment, loud...)
		says(t, told, "Nothing was done, since it could not be written into the audit log")
	}
	paused, _ := d.run(ExitOK, "pause", "--list")
	says(t, paused, "a flood")
	if n := d.telephone.RingCount(); n != 0 {
		t.Errorf("%d rings", n)
	}
}
