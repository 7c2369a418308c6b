package cli

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/sim"
	"github.com/ringonce/ringonce/internal/sim/simrun"
)

// terminal opens a terminal of 100 columns, and what a person sees on it.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("this machine has no terminals: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
	}
	if err == nil {
		tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

func TestASimulationShowsHowFarItIsOnATerminalOnly(t *testing.T) {
	half := rich()
	half.Seeds = simrun.Stretch(sim.Light)
	args := []string{"--seeds", strconv.Itoa(2 * half.Seeds), "--record", recorded(t, half, half)}
	if _, stderr := simulate(t, "die", ExitOK, args...); stderr != "" {
		t.Errorf("a file is told: %q", stderr)
	}
	screen, tty := terminal(t)
	var shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&shown, screen) // ends with an error when the other side is closed
	}()
	simulateInto(t, io.Discard, tty, ExitOK, args...)
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-read:
	case <-time.After(10 * time.Second):
		t.Fatal("the terminal never ends")
	}
	if text := shown.String(); !strings.Contains(text, "(10000/20000") || !strings.Contains(text, "50%") || strings.TrimSpace(text[strings.LastIndex(text, "\r"):]) != "" {
		t.Errorf("the terminal shows %q", shown.String())
	}
}
