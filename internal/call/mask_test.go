package call

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestNoPrintedCallHoldsTheNumberOfAnybodyOnItsList: the numbers of a list were once printed in full with their call.
func TestNoPrintedCallHoldsTheNumberOfAnybodyOnItsList(t *testing.T) {
	t.Parallel()
	list := []Recipient{{RecipientID: "bob", Destination: "+12025550123"}}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("list", slog.Any("of", list), slog.Any("first", list[0]))
	said := log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		said += fmt.Sprintf(verb+" "+verb+" "+verb+" "+verb+"\n", Call{Escalation: list}, Opening{Escalation: list}, Request{Escalation: list}, Event{Turn: &Turn{Recipient: list[0]}})
		said += fmt.Sprintf(verb, Turn{Recipient: list[0]})
	}
	if strings.Contains(said, "2025550123") || strings.Contains(said, "12025550") {
		t.Errorf("a full number: %s", said)
	}
	if !strings.Contains(said, "bob") {
		t.Error("nobody is printed")
	}
}
