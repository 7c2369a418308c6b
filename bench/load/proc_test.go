//go:build linux

package main

import (
	"os/exec"
	"testing"
	"time"
)

// TestTheProcessorTimeOfAProcessIsThatOfItsChildrenToo has a shell work in a child that lives and in one that has ended.
func TestTheProcessorTimeOfAProcessIsThatOfItsChildrenToo(t *testing.T) {
	t.Parallel()
	work := `i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "("+work+"); ("+work+"; echo; read x); true")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	own, ended := ticks(cmd.Process.Pid)
	whole := spentBy(cmd.Process.Pid)
	_, _ = in.Close(), cmd.Wait()
	if own > ended || ended < 20*time.Millisecond || whole < ended+20*time.Millisecond {
		t.Errorf("the shell %s, with the child that ended %s, with the other one %s", own, ended, whole)
	}
	if spentBy(0) != 0 {
		t.Error("no process has spent something")
	}
}
