package awsscheduler

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// hint is the document that arrives as the body of a message. Package envelope reads it.
type hint struct {
	Ringonce string    `json:"ringonce"` // what it is: wake
	Version  int       `json:"version"`
	Call     string    `json:"call"` // row id
	Due      time.Time `json:"due"`  // exact, so that the engine knows its own hint again
}

// Document returns the text of the hint that a row is due at due.
func Document(rowID string, due time.Time) (string, error) {
	text, err := json.Marshal(hint{Ringonce: "wake", Version: 1, Call: rowID, Due: due.UTC()})
	if err != nil { // a year that RFC 3339 has no digits for
		return "", fmt.Errorf("encode a hint: %w", err)
	}
	return string(text), nil
}

// The reach of the two services.
const (
	// longestDelay is the largest DelaySeconds of a message (facts/amazon-connect.md section 7, SQS).
	longestDelay = 15 * time.Minute
	// farthest is how far ahead a schedule is made. The service documents no limit, and nobody knows what its targets are in a year.
	// A hint that comes before its due is given again.
	farthest = 365 * 24 * time.Hour
)

// seconds returns the whole seconds of a wait, rounded up: a hint that is early is a hint for nothing.
func seconds(wait time.Duration) int32 {
	wait = min(max(wait, 0), longestDelay)
	return int32((wait + time.Second - 1) / time.Second)
}

// plan is one schedule.
type plan struct {
	name       string // 57 characters of [0-9a-z-]; at most 64 are taken (facts/idempotent-apis.json, scheduler CreateSchedule)
	token      string // 64 characters of hex, as many as ClientToken takes (the same)
	expression string
}

// planFor derives the schedule of a hint.
func planFor(rowID string, due, now time.Time) plan {
	at := due
	if limit := now.Add(farthest); at.After(limit) {
		at = limit
	}
	at = at.Add(time.Second - 1).UTC().Truncate(time.Second)
	derive := func(what string) string {
		digest := sha256.Sum256(fmt.Appendf(nil, "ringonce\n%s\n%s\n%s\n%s", what, rowID, due.UTC().Format(time.RFC3339Nano), at.Format(time.RFC3339)))
		return hex.EncodeToString(digest[:])
	}
	return plan{name: "ringonce-" + derive("name")[:48], token: derive("token"), expression: at.Format("at(2006-01-02T15:04:05)")}
}
