package call_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAConflictNamesTheMembersThatDifferAndNoValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := request("n", start)
	first.Request.Attributes = map[string]string{"language": "ja-JP"}
	w.place(first)
	elsewhere, err := call.ParsePhone("+819000000077")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*call.Request){
		"another destinationPhoneNumber;":                func(r *call.Request) { r.Destination = elsewhere },
		"another attributes;":                            func(r *call.Request) { r.Attributes = map[string]string{"language": "en-US"} },
		"another destinationPhoneNumber and attributes;": func(r *call.Request) { r.Destination, r.Attributes = elsewhere, nil },
	} {
		d := first
		change(&d.Request)
		out := w.place(d)
		if out.Code != call.CodeConflict || !strings.Contains(out.Message, want) || strings.Contains(out.Message, "language") || strings.Contains(out.Message, d.Request.Destination.Wire()) {
			t.Errorf("%s %q, want %q", out.Code, out.Message, want)
		}
		if said := w.told[len(w.told)-1]; said.What != "refused" || said.RowID != w.row("n", 0).ID || said.State != call.Placed {
			t.Errorf("the line of the conflict names the call %q, %s", said.RowID, said.State)
		}
	}
}
