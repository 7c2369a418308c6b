package connectemu_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

func TestLogLinesMaskNumbers(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t, func(c *connectemu.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	w.plan(connectemu.Rule{Fault: connectemu.PlaceThen500, Number: answers})
	if _, err := w.start(answers, "token"); err == nil {
		t.Fatal("the fault did not happen")
	}
	w.manage("PUT", "/phones/"+answers, `{"fate":"busy"}`, nil)
	w.server.Close()
	text := out.String()
	if !containsAll(text, `"number":"+81******0001"`, `"outcome":"rang"`, `"fault":"place-then-500"`, `"msg":"phone set"`) {
		t.Errorf("log: %s", text)
	}
	if strings.Contains(text, strings.TrimPrefix(answers, "+")) {
		t.Errorf("the log shows a number: %s", text)
	}
}
