package clienttoken_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
)

// vector is one entry of testdata/vectors.json.
type vector struct {
	Name     string      `json:"name"`
	Recipe   string      `json:"recipe"`
	Template string      `json:"template"`
	KeyHex   string      `json:"keyHex"`
	Input    vectorInput `json:"input"`
	Token    string      `json:"token"`
	Error    string      `json:"error"`
}

type vectorInput struct {
	KeySpace       string `json:"keySpace"`
	NotificationID string `json:"notificationId"`
	RecipientID    string `json:"recipientId"`
	RecallID       string `json:"recallId"`
	ClientToken    string `json:"clientToken"`
	EventID        string `json:"eventId"`
	Ring           int    `json:"ring"`
}

func (v *vector) compute() (string, error) {
	key, err := hex.DecodeString(v.KeyHex)
	if err != nil {
		return "", err
	}
	m, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.Recipe(v.Recipe), Template: v.Template, Key: key})
	if err != nil {
		return "", err
	}
	return m.Token(clienttoken.Input(v.Input))
}

// check compares what the package makes with what the vector expects.
func (v *vector) check() error {
	if (v.Token == "") == (v.Error == "") {
		return fmt.Errorf("%s: needs a token or an error", v.Name)
	}
	token, err := v.compute()
	if err != nil {
		failure, ok := errors.AsType[*clienttoken.Error](err)
		if !ok || failure.Code != v.Error {
			return fmt.Errorf("%s: got error %w, want token %q error %q", v.Name, err, v.Token, v.Error)
		}
		return nil
	}
	if token != v.Token {
		return fmt.Errorf("%s: got token %q, want token %q error %q", v.Name, token, v.Token, v.Error)
	}
	return nil
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		About   string   `json:"about"`
		Version int      `json:"version"`
		Vectors []vector `json:"vectors"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

func TestTokensMatchThePublishedVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		if err := v.check(); err != nil {
			t.Error(err)
		}
	}
}

func TestAMutatedVectorIsReported(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		mutated := v
		if mutated.Error != "" {
			mutated.Error += "_x"
		} else {
			digits := []byte(mutated.Token)
			digits[len(digits)-1] ^= 1
			mutated.Token = string(digits)
		}
		if mutated.check() == nil {
			t.Errorf("%s: the checker accepts a mutated expectation", v.Name)
		}
		swapped := v
		swapped.Token, swapped.Error = v.Error, v.Token
		if swapped.check() == nil {
			t.Errorf("%s: the checker takes a token for an error", v.Name)
		}
	}
}

// TestVectorsCoverTheRules keeps a later edit from thinning the file out.
func TestVectorsCoverTheRules(t *testing.T) {
	t.Parallel()
	vectors := readVectors(t)
	if len(vectors) < 60 {
		t.Errorf("%d vectors, want at least 60", len(vectors))
	}
	names, rings, codes := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range vectors {
		if names[v.Name] {
			t.Errorf("two vectors are called %q", v.Name)
		}
		names[v.Name] = true
		codes[v.Error] = true
		if v.Error == "" {
			rings[fmt.Sprint(v.Recipe, " ", v.Input.Ring)] = true
		}
	}
	for _, recipe := range clienttoken.Recipes() {
		if !rings[fmt.Sprint(recipe, " 0")] || !rings[fmt.Sprint(recipe, " 1")] || !rings[fmt.Sprint(recipe, " 10")] {
			t.Errorf("recipe %s lacks a vector of ring 0, 1 or 10", recipe)
		}
	}
	for _, code := range allCodes {
		// JSON cannot carry invalid UTF-8 from one language to another.
		if code == clienttoken.CodeIDNotUTF8 || code == clienttoken.CodeTemplateNotUTF8 {
			continue
		}
		if !codes[code] {
			t.Errorf("no vector for the code %s", code)
		}
	}
}

// TestVectorsShareTokensOnlyWhereDocumented would notice an NFC and NFD pair that an
// editor merged.
func TestVectorsShareTokensOnlyWhereDocumented(t *testing.T) {
	t.Parallel()
	byInput := map[string][]string{}
	for _, v := range readVectors(t) {
		if v.Recipe == string(clienttoken.SHA256) && v.Token != "" {
			byInput[v.Token] = append(byInput[v.Token], v.Name)
		}
	}
	want := [][]string{
		{"sha256 plain", "sha256 ring 0 written out", "sha256 ignores clientToken and eventId"},
		{"sha256 clash, named key space", "sha256 clash, unnamed key space with recall"},
	}
	shared := 0
	for _, names := range byInput {
		if len(names) == 1 {
			continue
		}
		shared++
		if !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, names) }) {
			t.Errorf("vectors %q share a token", names)
		}
	}
	if shared != len(want) {
		t.Errorf("%d groups share a token, want %d", shared, len(want))
	}
}
