package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/secret"
)

// value is a key as text, so that it is found in whatever is printed.
const value = "K-identity-0123456789abcdef0123456789abcdef"

// shows returns the forms in which a text betrays the value.
func shows(text string) bool {
	for _, form := range []string{
		value, fmt.Sprintf("%x", value), fmt.Sprintf("%X", value), strings.Trim(fmt.Sprintf("%d", []byte(value)), "[]"), strings.TrimSuffix(fmt.Sprintf("%#v", []byte(value)), "}")[len("[]byte{"):],
	} {
		if strings.Contains(text, form) || strings.Contains(text, form[len(form)/2:]) {
			return true
		}
	}
	return false
}

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	s := secret.New([]byte(value))
	if string(s.Reveal()) != value || s.Len() != len(value) {
		t.Fatalf("the secret is lost: %d bytes", s.Len())
	}
	type holder struct {
		Open   secret.Secret
		hidden secret.Secret
		deep   []map[string]*secret.Secret
	}
	h := holder{s, s, []map[string]*secret.Secret{{"a": &s}}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%X", "%q", "%d", "%c", "%U", "%t", "%p", "%w", "% x", "%#x", "%10.3s"} {
		for name, held := range map[string]any{"itself": s, "a pointer": &s, "a structure": h, "a pointer to one": &h, "a list": []secret.Secret{s}, "an any": []any{s}} {
			if printed := fmt.Sprintf(verb, held); shows(printed) {
				t.Errorf("%s of %s prints %s", verb, name, printed)
			}
		}
	}
	encoded, err := json.Marshal(map[string]any{"a": s, "b": h, "c": map[string]secret.Secret{"d": s}})
	if err != nil || shows(string(encoded)) || !strings.Contains(string(encoded), "[secret]") {
		t.Errorf("JSON is %s, %v", encoded, err)
	}
	text, err := s.MarshalText()
	if err != nil || shows(string(text)) || shows(s.String()) || shows(s.GoString()) {
		t.Errorf("text is %s, %v", text, err)
	}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(handler).Info("read", slog.Any("key", s), slog.Any("held", h), slog.Any("pointer", &s), slog.Group("g", slog.Any("key", s)))
	}
	if shows(log.String()) {
		t.Errorf("a log line is %s", log.String())
	}
}

// The look for the value finds each of its forms; without that the test above proves nothing.
func TestTheLookForASecretIsNotBlind(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"%v", "%s", "%x", "%X", "%#v", "%d"} {
		if !shows(fmt.Sprintf(verb, []byte(value))) {
			t.Errorf("%s of the bare bytes is not seen", verb)
		}
	}
	if shows("[secret]") {
		t.Error("the mask is taken for the value")
	}
}

func TestAnEmptySecretIsEmpty(t *testing.T) {
	t.Parallel()
	var s secret.Secret
	if s.Len() != 0 || s.Reveal() != nil || fmt.Sprint(s) != "[secret]" {
		t.Errorf("the zero value holds %d bytes", s.Len())
	}
}

func TestAFileIsReadWithoutItsLineFeedAndOnlyIfItIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "id.key")
	if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := secret.ReadFile(path); err != nil || string(s.Reveal()) != value {
		t.Errorf("read %d bytes, %v", s.Len(), err)
	}
	for _, mode := range []os.FileMode{0o400, 0o600, 0o440, 0o640, 0o444, 0o604, 0o606, 0o620, 0o660, 0o460, 0o420, 0o601} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := secret.ReadFile(path)
		if private := mode&^0o640 == 0 && mode&0o020 == 0; (err == nil) != private {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"a readable one": path, "none": path + ".gone", "a folder": t.TempDir()} {
		if _, err := secret.ReadFile(file); err == nil || shows(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
