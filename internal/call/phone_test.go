package call

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestPhoneNumbersAreExactlyE164(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{"+12025550100", "+819000000001", "+447700900123", "+12", "+1" + strings.Repeat("2", 14)} {
		if p, err := ParsePhone(ok); err != nil || p.Wire() != ok {
			t.Errorf("a good number of %d digits was refused: %v", len(ok)-1, err)
		}
	}
	for _, bad := range []string{"", "+", "+1", "+0123456", "12025550100", "+1" + strings.Repeat("2", 15), "+1202 5550100", "+1-202-555-0100", "+120255501oo", "+１２０２５５５０１００", " +12025550100", "+12025550100\n", "tel:+12025550100"} {
		p, err := ParsePhone(bad)
		if e, ok := errorAs(err); !ok || e.Field != "destinationPhoneNumber" || !p.IsZero() {
			t.Errorf("%q was taken: %v", bad, err)
		}
		if err != nil && len(bad) > 4 && strings.Contains(err.Error(), bad[3:]) {
			t.Errorf("the error shows the number: %v", err)
		}
	}
}

// The verb %p is not among them: fmt answers it without asking the value, and vet refuses it for anything but a pointer.
func TestNoWayOfPrintingShowsAFullNumber(t *testing.T) {
	t.Parallel()
	const digits = "+819000000001"
	p := number(t, digits)
	row := Begin("row").Apply(Event{Kind: EventAccepted, Opening: &Opening{Destination: digits, Attributes: map[string]string{"number": digits}}})
	row.Pin = `{"DestinationPhoneNumber":"` + digits + `"}`
	values := map[string]any{
		"phone": p, "pointer": &p, "request": Request{Destination: p}, "decided": Decided{Number: p}, "order": Order{Destination: p},
		"row": row, "outcome": Outcome{Call: row}, "opening": Opening{Destination: digits}, "slice": []Phone{p}, "map": map[string]Phone{"a": p},
	}
	for name, value := range values {
		for verb := range strings.SplitSeq("%v %+v %#v %s %q %x %X %d %T %U %o %b %e %t %c %10s %-20q", " ") {
			if text := fmt.Sprintf(verb, value); leaks(text, digits) {
				t.Errorf("%s under %s: %s", name, verb, text)
			}
		}
	}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("call", slog.Any("number", p), slog.Any("row", row), slog.Any("decided", Decided{Number: p}), slog.Any("opening", Opening{Destination: digits}))
	}
	text, err := json.Marshal(map[string]any{"n": p, "in": Decided{Number: p}})
	if err != nil || leaks(string(text), digits) || leaks(log.String(), digits) {
		t.Errorf("a number leaked: %v %s %s", err, text, log.String())
	}
}

// leaks looks for the digits, also in hex.
func leaks(text, digits string) bool {
	return strings.Contains(text, digits[4:10]) || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", digits[4:10]))
}

func TestTheMaskKeepsWhatRecognizesANumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"+819000000001": "+81******0001", "+12025550100": "+12*****0100", "+447700900123": "+44******0123", "+45" + "20123456": "+45****3456",
		"+123456789": "**********", "+12": "***",
	} {
		if got := number(t, in).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if (Phone{}).String() != "" {
		t.Error("no number prints something")
	}
}
