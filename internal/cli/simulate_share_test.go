package cli

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
	"github.com/ringonce/ringonce/internal/sim/simrun"
)

// plantVariable names the defect of the lives that the processes of a simulate command live; the command under test starts this very binary.
const plantVariable = "RINGONCE_TEST_PLANT"

func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"simulate", "--share"}) {
		simrun.Serve(os.Stdin, os.Stdout, simulatePlant(os.Getenv(plantVariable))) // does not return
	}
	os.Exit(m.Run())
}

func simulatePlant(name string) sim.Plant {
	switch name {
	case "acknowledge": // everything, whatever became of it
		return sim.Plant{Acknowledge: func(call.Outcome) bool { return true }}
	case "clock": // what happens depends on a counter that no seed knows
		outside := 0
		return sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return countingDialer{d, &outside} }}
	case "die":
		return sim.Plant{Dialer: func(call.Dialer) call.Dialer { panic("planted: the process ends in the middle of a life") }}
	}
	return sim.Plant{}
}

// countingDialer waits a nanosecond longer before each request than before the last one of its process, in whichever life that was.
type countingDialer struct {
	call.Dialer
	outside *int
}

// Dial implements call.Dialer.
func (d countingDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	*d.outside++
	time.Sleep(time.Duration(*d.outside))
	return d.Dialer.Dial(ctx, s)
}
