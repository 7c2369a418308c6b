//go:build integration

package emutest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
)

// shown is what the page shows at one moment.
type shown struct {
	Rings, Ringing, Answered, Twice int
	Phones                          []struct {
		Number, State, Word, Color, Rang string
		Icon                             bool
	}
	Contacts      []string
	Tokens, Rules [][2]any
	Nameless      int
}

// visit is what a scene of testdata/browse.mjs saw.
type visit struct {
	Empty, Focused, StillHere, FocusKept, Problem, Kept, Refresh, URL, Plan string
	Ringing, Answered, End                                                  shown
	Overflow, PausedRefresh                                                 int
	Paused                                                                  bool
	Complaints, Foreign                                                     []string
}

// picturesVariable names a folder for the pictures that a scene takes; without it they are thrown away.
const picturesVariable = "RINGONCE_PICTURES"

// browse plays a scene against the page at url. The page may ask for calls to be placed with the emulator.
func browse(t *testing.T, scene, url string, emulator *connectemu.Server) visit {
	t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ring(t, emulator, r.FormValue("number")) == "" {
			http.Error(w, "no contact", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(hook.Close)
	dir := t.TempDir()
	program, err := os.ReadFile(filepath.Join("testdata", "browse.mjs"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "browse.mjs"), program, 0o600)
	}
	if err == nil { // Node.js looks for packages beside the program
		err = os.Symlink(awstest.Playwright(t), filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	pictures := os.Getenv(picturesVariable)
	if pictures == "" {
		pictures = t.TempDir()
	}
	cmd := exec.CommandContext(t.Context(), "node", "browse.mjs", scene, url, hook.URL, awstest.Chromium(t), filepath.Join(dir, "profile"), pictures)
	cmd.Dir = dir
	var complaints strings.Builder
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", scene, err, output, complaints.String())
	}
	var seen visit
	if err := json.Unmarshal(output, &seen); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	for _, foreign := range seen.Foreign {
		t.Errorf("the page loads %s", foreign)
	}
	return seen
}

// page is an emulator on a clock that stands still, its page on a listener.
func page(t *testing.T) (emulator *connectemu.Server, url string) {
	t.Helper()
	emulator, err := connectemu.New(connectemu.Config{
		Clock: connectemu.NewManualClock(start), Reading: connectemu.A1Prime, StartRate: connectemu.Unlimited, SignatureWindow: connectemu.Off,
		EventSink: noSink{},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(emulator.Management())
	t.Cleanup(server.Close)
	t.Cleanup(emulator.Close)
	go func() { _ = emulator.DeliverEvents(t.Context()) }()
	return emulator, server.URL
}
