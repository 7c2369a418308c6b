package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// parseSpan reads a duration: Go's form, with days before it: "30s", "2h", "7d", "6d23h59m".
func parseSpan(text string) (time.Duration, error) {
	sign, rest := time.Duration(1), text
	if after, negative := strings.CutPrefix(rest, "-"); negative {
		sign, rest = -1, after
	}
	var d time.Duration
	if days, after, long := strings.Cut(rest, "d"); long {
		n, err := strconv.Atoi(strings.TrimPrefix(days, "+"))
		if err != nil {
			return 0, fmt.Errorf("a time like 30s, 2h or 7d: %q", text)
		}
		d, rest = time.Duration(n)*day, after
	}
	if rest == "" {
		return sign * d, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil {
		return 0, fmt.Errorf("a time like 30s, 2h or 7d: %w", err)
	}
	return sign * (d + more), nil
}
