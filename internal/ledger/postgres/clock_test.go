package postgres

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// serverTime is what asks a server for the time.
var serverTime = regexp.MustCompile(`(?i)\b(now\s*\(|current_(timestamp|time|date)|localtime|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)`)

// TestScenarioI13NoLeaseIsJudgedByTheClockOfAServer reads every statement. A lease ends when nothing may be signed any more, so it is judged by the clock that
// signs, within the bounds of protocol.md section 5; the clock of a replica or of a promoted server has no say. Sessions on a standby are refused (primary).
func TestScenarioI13NoLeaseIsJudgedByTheClockOfAServer(t *testing.T) {
	t.Parallel()
	if !serverTime.MatchString("UPDATE x SET lease = NOW() + 1") || serverTime.MatchString("SELECT known.version FROM known") {
		t.Fatal("the check sees nothing")
	}
	files, err := filepath.Glob("statements/*.sql")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := serverTime.FindString(string(text)); found != "" {
			t.Errorf("%s asks the server for the time: %s", file, found)
		}
	}
}
