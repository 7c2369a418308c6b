package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What the tests of the wiring configure.
const (
	testRegion  = "us-east-1"
	secretValue = "the patient of bed seven" // what a request may hold beside its number, and no log line, metric or answer

	goodFlow = "22222222-2222-4222-8222-222222222222"
	lostFlow = "22222222-2222-4222-8222-222222222224" // no flow of the instance: ResourceNotFoundException
)

// number returns the nth fictitious phone number.
func number(n int) string { return fmt.Sprintf("+81900000%04d", n) }

// object is a JSON object of a document.
type object map[string]any

func (o object) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// lockedSource is a seeded source of randomness for several goroutines.
type lockedSource struct {
	mu    sync.Mutex
	inner *rand.ChaCha8
}

func newSource(seed byte) *lockedSource {
	return &lockedSource{inner: rand.NewChaCha8([32]byte{seed})}
}

// Read implements io.Reader.
func (s *lockedSource) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Read(p)
}

// canary keeps what is printed.
type canary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (c *canary) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

// fullNumber finds a number of the tests, with its plus sign or without.
var fullNumber = regexp.MustCompile(`8190000[0-9]{5}`)

// betrayals returns the lines that hold a full phone number or one of the texts.
func betrayals(text string, texts ...string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		said := func(secret string) bool { return secret != "" && strings.Contains(line, secret) }
		if fullNumber.MatchString(line) || slices.ContainsFunc(texts, said) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestTheCanarySeesALeak(t *testing.T) {
	t.Parallel()
	if len(betrayals(`{"token":"abc"}`+"\n"+`{"_aws":{},"Number":"8190000000011"}`, "abc", "")) != 2 || len(betrayals(`{"token":"***","n":"+81******0011"}`, "abc")) != 0 {
		t.Fatal("the canary is blind to what it was told, or sees ghosts")
	}
}
