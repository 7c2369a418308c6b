package connect

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
)

// anyResult draws results of every shape, also those that cannot happen.
func anyResult() *rapid.Generator[result] {
	names := []string{
		"", "InvalidParameterException", "InvalidRequestException", "DestinationNotAllowedException", "AccessDeniedException", "ExpiredToken",
		"ResourceNotFoundException", "TooManyRequestsException", "LimitExceededException", "InvalidSignatureException", "RequestExpired",
		"NobodyKnowsException", "Exception", "+12025550101",
	}
	return rapid.Custom(func(t *rapid.T) result {
		return result{
			outcome:   outcome(rapid.IntRange(0, 2).Draw(t, "outcome")),
			reason:    rapid.SampledFrom([]call.Code{CodeTimeout, CodeConnectFailed, CodeSendGuard, CodeConnectionLost}).Draw(t, "reason"),
			text:      rapid.SampledFrom([]string{"", "no", "Signature expired: now", "number +12025550101\nor 12025550101"}).Draw(t, "text"),
			hide:      "+12025550101",
			status:    rapid.IntRange(100, 599).Draw(t, "status"),
			name:      rapid.SampledFrom(names).Draw(t, "name"),
			contactID: rapid.SampledFrom([]string{"", "c-1"}).Draw(t, "contact"),
			readable:  rapid.Bool().Draw(t, "readable"),
		}
	})
}

func TestOnlyProofMakesADefiniteVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := anyResult().Draw(t, "result")
		a := classify(r)
		named4xx := r.outcome == outcomeAnswered && r.status/100 == 4 && r.name != ""
		if a.Class.Definite() && r.outcome != outcomeUnsent && !named4xx {
			t.Fatalf("%+v is called %s without proof", r, a.Class)
		}
		placed := r.outcome == outcomeAnswered && r.status/100 == 2 && r.contactID != ""
		if (a.Class == call.ClassOK) != placed || (a.ContactID != "") != placed {
			t.Fatalf("%+v is called %+v", r, a)
		}
		if r.outcome == outcomeUnsent && a.Class != call.ClassNotSent {
			t.Fatalf("%+v is called %s although nothing was sent", r, a.Class)
		}
		if a.Class == call.ClassOpen || (a.Class != call.ClassOK && (a.Code == "" || a.Message == "")) {
			t.Fatalf("%+v has no verdict, code or message: %+v", r, a)
		}
		if strings.Contains(a.Message, "12025550101") || strings.ContainsAny(a.Message, "\r\n") {
			t.Fatalf("the message shows the number or breaks the line: %q", a.Message)
		}
	})
}

func TestErrorNamesBecomeCodes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]call.Code{
		"TooManyRequestsException": "too_many_requests", "InvalidClientTokenId": "invalid_client_token_id", "Throttling": "throttling",
		"HTTPError": "httperror", "a b\n": "a_b_", "": "",
	} {
		if got := snake(family(name)); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	if got := snake(strings.Repeat("x", 1000)); len(got) != 64 {
		t.Errorf("a long name becomes %d bytes", len(got))
	}
}

func TestNumbersAreMaskedWhereverTheyStand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"to +12025550101.":                "to +*******0101.",
		"+12025550101+447700900123":       "+*******0101+********0123",
		"12025550101 is bad":              "*******0101 is bad",
		"short +1234567 stays short":      "short +******* stays short",
		"1 + 1":                           "1 + 1",
		"request 5f0c at 20310303T093000": "request 5f0c at 20310303T093000",
	} {
		if got := mask(text, "+12025550101"); got != want {
			t.Errorf("%d bytes of text: got %q, want %q", len(text), got, want)
		}
	}
	if got := tidy(strings.Repeat("é", 400), ""); len(got) > longestMessage+3 || !strings.HasSuffix(got, "é...") {
		t.Errorf("a long text is cut to %d bytes", len(got))
	}
}

func TestOnlyPlainWishesCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"X-Amz-Retry-After", "1500", 1500 * time.Millisecond},
		{"Retry-After", "999999", time.Hour},
		{"Retry-After", "-1", 0},
		{"Retry-After", "Mon, 03 Mar 2031 09:30:00 GMT", 0},
		{"Retry-After", "99999999999999999999", 0},
	} {
		if got := retryAfter(map[string][]string{c.name: {c.value}}); got != c.want {
			t.Errorf("%s: %s is taken for %v, want %v", c.name, c.value, got, c.want)
		}
	}
}
