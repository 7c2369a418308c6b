package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

const library = "github.com/nyaruka/phonenumbers"

// source says what the table is made of: the library, the version of it that go.mod requires, and the day on which that was released.
func source() (string, error) {
	out, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", `{{.Version}} {{.Time.UTC.Format "2006-01-02"}}`, library).Output()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", library, err)
	}
	version, day, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found {
		return "", fmt.Errorf("%s tells no version and day: run go mod download", library)
	}
	return library + " " + version + " of " + day, nil
}
