package cli

import (
	"testing"
	"time"
)

func TestADurationIsWrittenAsAPersonReadsIt(t *testing.T) {
	t.Parallel()
	cases := map[time.Duration]string{
		0:                                     "0s",
		300 * time.Microsecond:                "1ms",
		999 * time.Millisecond:                "999ms",
		5 * time.Second:                       "5.0s",
		59*time.Second + 990*time.Millisecond: "59.9s",
		time.Minute:                           "1m00s",
		61 * time.Minute:                      "1h01m",
		47*time.Hour + 59*time.Minute:         "47h59m",
		72*time.Hour + 4*time.Hour:            "3d04h",
		-2 * time.Second:                      "-2.0s",
	}
	for d, want := range cases {
		if got := lasted(d); got != want {
			t.Errorf("%d ns is written %q, not %q", d, got, want)
		}
	}
}

func TestControlCharactersDoNotReachATerminal(t *testing.T) {
	t.Parallel()
	if got := plain("a\x1b[31mb\nc"); got != "a\uFFFD[31mb\uFFFDc" {
		t.Errorf("got %q", got)
	}
}
