//go:build integration

package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
)

// programs are the examples and how each is started in a folder of its own.
var programs = map[string]func(t *testing.T, token string) *exec.Cmd{
	"go": func(t *testing.T, token string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "go", "run", ".", token)
	},
	"python": func(t *testing.T, token string) *exec.Cmd {
		return exec.CommandContext(t.Context(), awstest.Boto3(t), "-B", "place.py", token)
	},
	"node": func(t *testing.T, token string) *exec.Cmd {
		dir := t.TempDir()
		program, err := os.ReadFile("place.mjs")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "place.mjs"), program, 0o600)
		}
		if err == nil { // Node.js looks for packages beside the program
			err = os.Symlink(awstest.NodeClient(t), filepath.Join(dir, "node_modules"))
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "node", "place.mjs", token)
		cmd.Dir = dir
		return cmd
	},
}

// start serves an emulator to other processes. Its rates are the documented ones, but for searches: two programs in two seconds are one
// too many, and boto3 gives up before the third second.
func start(t *testing.T, config connectemu.Config) (emulator *connectemu.Server, url string) {
	t.Helper()
	config.SearchRate = connectemu.Unlimited
	emulator, err := connectemu.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(emulator)
	t.Cleanup(server.Close)
	t.Cleanup(emulator.Close)
	return emulator, server.URL
}

var said = regexp.MustCompile(`^placed: ([0-9a-f-]{36})
repeated, same contact: true
described: API (\S+)
found: 1
stopped, and gone: true
$`)

func TestTheExampleInEachLanguageRingsOnce(t *testing.T) {
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			emulator, url := start(t, connectemu.Config{})
			for round := range 2 {
				token := "token-of-" + language
				cmd := program(t, token)
				cmd.Env = append(os.Environ(), "EMULATOR="+url)
				var complaints strings.Builder
				cmd.Stderr = &complaints
				output, err := cmd.Output()
				text := string(output)
				if round == 0 && err != nil {
					t.Fatalf("%v\n%s%s", err, text, complaints.String())
				}
				if round == 1 { // the contact of the token has ended, so that the program cannot stop it
					if err == nil || !strings.Contains(text, emulator.Rings()[0].ContactID) {
						t.Errorf("the second run: %v\n%s", err, text)
					}
				} else if match := said.FindStringSubmatch(text); match == nil || match[2] != token || match[1] != emulator.Rings()[0].ContactID {
					t.Errorf("it printed\n%s", text)
				}
				if n := emulator.RingCount(); n != 1 {
					t.Fatalf("%d rings after round %d", n, round+1)
				}
			}
			contact := emulator.Contacts()[0]
			if contact.DisconnectReason != "TELECOM_ORIGINATOR_CANCEL" {
				t.Errorf("the call ended for %q", contact.DisconnectReason)
			}
		})
	}
}

// TestTheOracleSeesASecondRing plants a second ring: under the text of 2021 a token rings again once its contact has ended.
func TestTheOracleSeesASecondRing(t *testing.T) {
	emulator, url := start(t, connectemu.Config{Reading: connectemu.A1Prime})
	for range 2 {
		cmd := programs["python"](t, "token")
		cmd.Env = append(os.Environ(), "EMULATOR="+url)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	if n := emulator.RingCount(); n != 2 {
		t.Errorf("%d rings, want 2", n)
	}
}
