package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// The environment variables that make the test binary a process that holds and writes a ledger.
const (
	holdPath    = "RINGONCE_TEST_HOLD_LEDGER"
	holdWitness = "RINGONCE_TEST_HOLD_WITNESS"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(holdPath); path != "" {
		if err := hold(path, os.Getenv(holdWitness)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// hold opens the ledger and writes rows from many goroutines until it is killed. It prints each id once its write was answered.
func hold(path, witness string) error {
	ctx := context.Background()
	l, err := sqlite.Open(ctx, sqlite.Options{Path: path, WitnessPath: witness, RandomID: func() string { return "held" }, Clock: fixed{noon}})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				id := strconv.Itoa(g) + "-" + strconv.Itoa(n)
				e := call.Event{Kind: call.EventTombstone, At: noon, Opening: &call.Opening{Key: call.Key{Kind: call.KindVoice, NotificationID: id, RecipientID: "r"}}}
				w, err := call.Begin(id).Write(e, "op-"+id)
				if err != nil {
					return
				}
				if written, err := l.Create(ctx, w); err != nil || !written.Applied {
					return
				}
				mu.Lock()
				fmt.Println(id)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return fmt.Errorf("the writers ended")
}

// holder starts the test binary as another process on the ledger, and returns its output.
func holder(t *testing.T, o sqlite.Options) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), holdPath+"="+o.Path, holdWitness+"="+o.WitnessPath)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// This test is not parallel: a process that is about to start holds copies of the locks of all ledgers that are open here.
func TestASecondProcessIsKeptOutAndAKillLosesNothingAnswered(t *testing.T) {
	o := settings(t)
	cmd, lines := holder(t, o)
	var answered []string
	for len(answered) < 500 && lines.Scan() {
		answered = append(answered, lines.Text())
	}
	_, err := sqlite.Open(t.Context(), o)
	refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
	if pid := "process " + strconv.Itoa(cmd.Process.Pid); err != nil && !strings.Contains(err.Error(), pid) {
		t.Errorf("the error %q does not name %s", err, pid)
	}
	readsBeside(t, o, answered[0])

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		answered = append(answered, lines.Text())
	}
	_ = cmd.Wait() // it was killed

	l := open(t, o)
	for _, id := range answered {
		if _, err := l.Get(t.Context(), id); err != nil {
			t.Errorf("row %s was answered before the kill: %v", id, err)
		}
	}
	for _, id := range answered[:500] {
		again := accepted(t, id)
		again.Entry.Op += "-of-another"
		if written, err := l.Create(t.Context(), again); err != nil || written.Applied {
			t.Errorf("row %s was made again after the kill: applied %t, %v", id, written.Applied, err)
		}
	}
	if rows := whole(t, l); rows < len(answered) {
		t.Errorf("%d rows are there, %d were answered", rows, len(answered))
	}
}

// readsBeside reads the ledger of the other process, as `ringonce calls` does.
func readsBeside(t *testing.T, o sqlite.Options, id string) {
	t.Helper()
	o.ReadOnly, o.WitnessPath = true, ""
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open for reading: %v", err)
	}
	if _, err := l.Get(t.Context(), id); err != nil {
		t.Errorf("get beside the writer: %v", err)
	}
	if page, _, err := l.List(t.Context(), call.Filter{Limit: 10}); err != nil || len(page) != 10 {
		t.Errorf("list beside the writer: %d rows, %v", len(page), err)
	}
	first, err := l.Identity(t.Context())
	if err != nil || first.HighWater == 0 {
		t.Errorf("identity beside the writer: %+v, %v", first, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
