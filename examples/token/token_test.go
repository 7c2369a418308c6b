//go:build integration

// Package token_test runs the token programs of this directory against the
// published vectors. It needs python3 and node.
package token_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
)

const vectorsFile = "../../clienttoken/testdata/vectors.json"

var programs = map[string][]string{
	"python": {"python3", "-B", "ringonce_token.py"},
	"node":   {"node", "ringonce_token.mjs"},
}

// run starts a program and returns what it printed; err is an *exec.ExitError when
// it ended with another code than 0.
func run(t *testing.T, command []string, args ...string) (output string, err error) {
	t.Helper()
	args = append(append([]string{}, command[1:]...), args...)
	out, err := exec.CommandContext(t.Context(), command[0], args...).CombinedOutput()
	if err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Fatalf("%s does not start, install it: %v", command[0], err)
		}
	}
	return strings.TrimSpace(string(out)), err
}

type document struct {
	Vectors []map[string]any `json:"vectors"`
}

func readVectors(t *testing.T) document {
	t.Helper()
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func writeVectors(t *testing.T, d document) string {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramsComputeEveryVector(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf("%d vectors ok", len(readVectors(t).Vectors))
	for name, command := range programs {
		output, err := run(t, command, "--vectors", vectorsFile)
		if err != nil || output != want {
			t.Errorf("%s: got %q (%v), want %q", name, output, err, want)
		}
	}
}

// TestProgramsReportAMutatedVector plants one wrong expectation at a time: in the
// first token of each recipe and in the first error.
func TestProgramsReportAMutatedVector(t *testing.T) {
	t.Parallel()
	planted := map[string]bool{}
	for i, v := range readVectors(t).Vectors {
		kind, member := fmt.Sprint(v["recipe"]), "token"
		if v["error"] != nil {
			kind, member = "an error", "error"
		}
		if planted[kind] {
			continue
		}
		planted[kind] = true
		d := readVectors(t)
		expected, ok := d.Vectors[i][member].(string)
		if !ok {
			t.Fatalf("%v: %s is not a string", v["name"], member)
		}
		mutated := []byte(expected)
		mutated[len(mutated)-1] ^= 1
		d.Vectors[i][member] = string(mutated)
		path := writeVectors(t, d)
		for name, command := range programs {
			output, err := run(t, command, "--vectors", path)
			if err == nil || !strings.HasPrefix(output, fmt.Sprint(v["name"], ": got ")) {
				t.Errorf("%s, %s: got %q (%v), want a failure that names %v", name, kind, output, err, v["name"])
			}
		}
	}
	if len(planted) != len(clienttoken.Recipes())+1 {
		t.Errorf("planted in %v, want every recipe and an error", planted)
	}
}

func TestVectorsAreWhatTheGeneratorWrites(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), "python3", "-B", "make_vectors.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("vectors.json differs from the output of make_vectors.py; write it again")
	}
}

func TestCommandLinesPrintTheToken(t *testing.T) {
	t.Parallel()
	const plain = "e6fc7b01ac85556d5376864f508b985202b5cbe380bc8503c15c523a2c922221"
	for name, command := range programs {
		for _, c := range []struct {
			args, want string
			fails      bool
		}{
			{args: "--notification-id notification-12345 --recipient-id user-67890", want: plain},
			{
				args: "--notification-id 通知 --recipient-id r --key-space k --recall-id c --recipe template " +
					"--template {keySpace}.{notificationId}.{recipientId}.{recallId}",
				want: "k.通知.r.c",
			},
			{args: "--recipe event-id --event-id e-1", want: "e-1"},
			{args: "--recipe message --client-token t-1", want: "t-1"},
			{args: "--notification-id n", want: "id_missing: recipientId", fails: true},
			{args: "--recipe hmac-sha256 --key-hex 00", want: "hmac_key_too_short: key", fails: true},
		} {
			output, err := run(t, command, strings.Fields(c.args)...)
			if output != c.want || (err != nil) != c.fails {
				t.Errorf("%s %s: got %q (%v), want %q", name, c.args, output, err, c.want)
			}
		}
	}
}

// TestProgramsRefuseLoneSurrogates is apart from the vectors because a Go string
// cannot hold what their text would decode to.
func TestProgramsRefuseLoneSurrogates(t *testing.T) {
	t.Parallel()
	const text = `{"vectors": [
		{"name": "id", "recipe": "sha256", "input": {"notificationId": "a\ud83d", "recipientId": "b"}, "error": "id_not_utf8"},
		{"name": "template", "recipe": "template", "template": "{notificationId}\udc4b{recipientId}",
			"input": {"notificationId": "a", "recipientId": "b"}, "error": "template_not_utf8"}]}`
	path := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, command := range programs {
		if output, err := run(t, command, "--vectors", path); err != nil || output != "2 vectors ok" {
			t.Errorf("%s: got %q (%v)", name, output, err)
		}
	}
}

// TestProgramsAgreeWithGoOnDrawnInputs compares the three implementations where
// nobody thought of a vector; the seed is fixed, so a failure repeats.
func TestProgramsAgreeWithGoOnDrawnInputs(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2026))
	var d document
	tokens, refusals := map[any]int{}, map[any]int{}
	for i := range 3000 {
		v := drawVector(t, random, i)
		d.Vectors = append(d.Vectors, v)
		if v["error"] == nil {
			tokens[v["recipe"]]++
		} else {
			refusals[v["error"]]++
		}
	}
	if len(tokens) != len(clienttoken.Recipes()) || len(refusals) < 12 {
		t.Errorf("tokens drawn by recipe %v and refusals %v are too few", tokens, refusals)
	}
	path := writeVectors(t, d)
	for name, command := range programs {
		if output, err := run(t, command, "--vectors", path); err != nil {
			t.Errorf("%s: %s", name, output)
		}
	}
}

// drawVector draws options and input, asks Go for the answer and writes it down.
func drawVector(t *testing.T, random *rand.Rand, i int) map[string]any {
	t.Helper()
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	text := func() string {
		return pick("", "a", "a", "b", "1") + pick("", "", "a", "é", "e\u0301", "電", "👨‍👩‍👧‍👦", "{recallId}", "$&", "\u2028", "\u0085", "\n", "\x7f", "\ufeff")
	}
	in := clienttoken.Input{
		KeySpace: pick("", "", text()), NotificationID: text(), RecipientID: text(), RecallID: pick("", text()),
		ClientToken: text() + strings.Repeat("😀", random.IntN(2)*(496+random.IntN(8))), EventID: text(), Ring: random.IntN(5) - 1,
	}
	o := clienttoken.Options{Recipe: clienttoken.Recipe(pick("sha256", "template", "template", "message", "event-id", "hmac-sha256", "md5"))}
	if o.Recipe == clienttoken.Template {
		o.Template = pick("", "{notificationId}") + "{notificationId}-{recipientId}" +
			pick("", "", "", "{", "}", "{}", "\n", "}{", "{a{b}c}") + pick("", "{keySpace}") + pick("", "{recallId}")
	}
	if o.Recipe == clienttoken.HMACSHA256 {
		o.Key = make([]byte, 31+random.IntN(40))
	}
	v := map[string]any{"name": fmt.Sprint("drawn ", i), "recipe": string(o.Recipe), "template": o.Template, "keyHex": hex.EncodeToString(o.Key)}
	v["input"] = map[string]any{
		"keySpace": in.KeySpace, "notificationId": in.NotificationID, "recipientId": in.RecipientID, "recallId": in.RecallID,
		"clientToken": in.ClientToken, "eventId": in.EventID, "ring": in.Ring,
	}
	m, err := clienttoken.New(o)
	if err == nil {
		v["token"], err = m.Token(in)
	}
	if err != nil {
		failure, ok := errors.AsType[*clienttoken.Error](err)
		if !ok {
			t.Fatal(err)
		}
		delete(v, "token")
		v["error"] = failure.Code
	}
	return v
}
