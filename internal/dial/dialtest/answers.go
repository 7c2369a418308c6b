package dialtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// row is one line of the classification table: what is answered, and what a dialer must make of it.
type row struct {
	name     string
	plan     string        // faults of the emulator
	say      *answer       // or an answer that the emulator does not know
	number   string        // empty: one that answers
	wait     time.Duration // moves the clocks while the dialer waits
	class    call.Class
	code     call.Code
	rings    int
	capacity bool
	after    time.Duration
}

// emulated are the rows that the emulator can play.
func emulated() []row {
	const ok, ambiguous, throttled = call.ClassOK, call.ClassAmbiguous, call.ClassThrottled
	const request, setup = call.ClassRefusedRequest, call.ClassRefusedSetup
	rows := []row{
		{name: "placed", class: ok, rings: 1},
		{name: "placed, then 500", plan: "place-then-500", class: ambiguous, code: "internal_service", rings: 1},
		{name: "placed, then 502 of a proxy", plan: "place-then-502", class: ambiguous, code: "http_502", rings: 1},
		{name: "placed, then 503", plan: "place-then-503", class: ambiguous, code: "service_unavailable", rings: 1},
		{name: "placed, then 504 of a proxy", plan: "place-then-504", class: ambiguous, code: "http_504", rings: 1},
		{name: "placed, then reset", plan: "place-then-reset", class: ambiguous, code: "connection_lost", rings: 1},
		{name: "placed, answer later than the time limit", plan: "place-then-delay(40s)", wait: 16 * time.Second, class: ambiguous, code: "timeout", rings: 1},
		{name: "placed, answer cut off", plan: "place-then-truncate", class: ambiguous, code: "answer_unreadable", rings: 1},
		{name: "placed, answer {}", plan: "place-then-{}", class: ambiguous, code: "answer_without_contact", rings: 1},
		{name: "placed, answer empty", plan: "place-then-empty", class: ambiguous, code: "answer_without_contact", rings: 1},
		{name: "500 without a call", plan: "fail-500", class: ambiguous, code: "internal_service"},
		{name: "502 without a call", plan: "fail-502", class: ambiguous, code: "http_502"},
		{name: "503 without a call", plan: "fail-503", class: ambiguous, code: "service_unavailable"},
		{name: "504 without a call", plan: "fail-504", class: ambiguous, code: "http_504"},
		{name: "reset without a call", plan: "reset-before", class: ambiguous, code: "connection_lost"},
		{name: "slower than the time limit", plan: "slow(40s)", wait: 16 * time.Second, class: ambiguous, code: "timeout"},
		{name: "408 of a proxy", plan: "proxy-408", class: ambiguous, code: "http_408"},
		{name: "413 of a proxy", plan: "proxy-413", class: ambiguous, code: "http_413"},
		{name: "429 without a name", plan: "throttle-bare", class: ambiguous, code: "http_429"},
		{name: "throttled", plan: "throttle", class: throttled, code: "too_many_requests"},
		{name: "ThrottlingException", plan: "throttle(ThrottlingException)", class: throttled, code: "throttling"},
	}
	for _, named := range []struct {
		name  string
		class call.Class
		code  call.Code
	}{
		{"InvalidRequestException", request, "invalid_request"},
		{"InvalidParameterException", request, "invalid_parameter"},
		{"AccessDeniedException", setup, "access_denied"},
		{"ExpiredTokenException", setup, "expired_token"},
		{"UnrecognizedClientException", setup, "unrecognized_client"},
		{"InvalidClientTokenId", setup, "invalid_client_token_id"},
		{"MissingAuthenticationTokenException", setup, "missing_authentication_token"},
		{"ResourceNotFoundException", setup, "resource_not_found"},
		{"SignatureDoesNotMatch", setup, "signature_does_not_match"},
		{"InvalidSignatureException", setup, "invalid_signature"},
	} {
		rows = append(rows, row{name: named.name, plan: "refuse(" + named.name + ")", class: named.class, code: named.code})
	}
	return rows
}

// named are the rows for names that one operation gives before a contact is made, and that prove nothing from another.
func named(kind call.Kind) []row {
	const ambiguous, throttled, request = call.ClassAmbiguous, call.ClassThrottled, call.ClassRefusedRequest
	limit := row{name: "limit exceeded", plan: "throttle(LimitExceededException)", class: throttled, code: "limit_exceeded", capacity: true}
	quota := row{name: "service quota exceeded", say: &answer{status: 402, name: "ServiceQuotaExceededException", body: "{}"}, class: ambiguous, code: "service_quota_exceeded"}
	allowed := row{name: "destination not allowed", say: &answer{status: 403, name: "DestinationNotAllowedException", body: "{}"}, class: ambiguous, code: "destination_not_allowed"}
	permitted := row{name: "contact not permitted", say: &answer{status: 403, name: "OutboundContactNotPermittedException", body: "{}"}, class: ambiguous, code: "outbound_contact_not_permitted"}
	switch kind {
	case call.KindVoice:
		allowed = row{name: allowed.name, number: "+12025550198", class: request, code: allowed.code}
		permitted = row{name: permitted.name, number: "+12025550199", class: request, code: permitted.code}
	case call.KindTask:
		limit.class, limit.capacity = ambiguous, false
		quota.class, quota.capacity = throttled, true
	case call.KindChat:
	}
	return []row{limit, quota, allowed, permitted}
}

// foreign are the rows that a service or something before it could answer and the emulator does not.
func foreign() []row {
	const ambiguous, throttled, unsent = call.ClassAmbiguous, call.ClassThrottled, call.ClassNotSent
	const request, setup = call.ClassRefusedRequest, call.ClassRefusedSetup
	message := func(text string) string { return fmt.Sprintf(`{"message":%q}`, text) }
	return []row{
		{name: "Throttling with 400", say: &answer{status: 400, name: "Throttling", body: message("Rate exceeded")}, class: throttled, code: "throttling"},
		{
			name: "throttled with a wish", say: &answer{status: 429, name: "TooManyRequestsException", header: map[string]string{"Retry-After": "7"}, body: "{}"},
			class: throttled, code: "too_many_requests", after: 7 * time.Second,
		},
		{name: "name in the body only", say: &answer{status: 400, body: `{"__type":"com.amazon#InvalidParameterException","Message":"x"}`}, class: request, code: "invalid_parameter"},
		{name: "name with a suffix", say: &answer{status: 403, name: "AccessDeniedException:http://internal/", body: "{}"}, class: setup, code: "access_denied"},
		{name: "name in the header, body of a proxy", say: &answer{status: 400, name: "InvalidParameterException", body: "<html>"}, class: request, code: "invalid_parameter"},
		{name: "unknown name with 400", say: &answer{status: 400, name: "SomethingNewException", body: "{}"}, class: ambiguous, code: "something_new"},
		{name: "conflict with 409", say: &answer{status: 409, name: "ConflictException", body: "{}"}, class: ambiguous, code: "conflict"},
		{name: "refusal with 500", say: &answer{status: 500, name: "InvalidParameterException", body: "{}"}, class: ambiguous, code: "invalid_parameter"},
		{name: "throttle with 503", say: &answer{status: 503, name: "ThrottlingException", body: "{}"}, class: ambiguous, code: "throttling"},
		{name: "403 without a name", say: &answer{status: 403, body: "<html>Forbidden</html>"}, class: ambiguous, code: "http_403"},
		{name: "400 without a name", say: &answer{status: 400, body: `{"error":"bad"}`}, class: ambiguous, code: "http_400"},
		{name: "413 without a name after a call", say: &answer{status: 413, serve: true}, class: ambiguous, code: "http_413", rings: 1},
		{name: "408 without a name after a call", say: &answer{status: 408, serve: true}, class: ambiguous, code: "http_408", rings: 1},
		{name: "200 of a proxy", say: &answer{status: 200, body: "<html>Welcome</html>", serve: true}, class: ambiguous, code: "answer_unreadable", rings: 1},
		{name: "200 with an empty contact id", say: &answer{status: 200, body: `{"ContactId":""}`, serve: true}, class: ambiguous, code: "answer_without_contact", rings: 1},
		{name: "200 with a contact id of another type", say: &answer{status: 200, body: `{"ContactId":7}`, serve: true}, class: ambiguous, code: "answer_unreadable", rings: 1},
		{name: "redirect", say: &answer{status: 307, header: map[string]string{"Location": "/elsewhere"}}, class: ambiguous, code: "http_307"},
		{name: "redirect to a read", say: &answer{status: 303, header: map[string]string{"Location": "/elsewhere"}}, class: ambiguous, code: "http_303"},
		{
			name: "signature expired", class: unsent, code: "invalid_signature",
			say: &answer{status: 403, name: "InvalidSignatureException", body: message("Signature expired: 20310303T093000Z is now earlier than 20310303T093500Z")},
		},
		{
			name: "signature of the future", class: unsent, code: "signature_does_not_match",
			say: &answer{status: 403, name: "SignatureDoesNotMatch", body: message("Signature not yet current: 20310303T093000Z is still later than 20310303T092000Z")},
		},
		{name: "request skewed", say: &answer{status: 403, name: "RequestTimeTooSkewed", body: "{}"}, class: unsent, code: "request_time_too_skewed"},
		{name: "request expired", say: &answer{status: 400, name: "RequestExpired", body: "{}"}, class: unsent, code: "request_expired"},
		{name: "unsigned", say: &answer{status: 403, name: "IncompleteSignature", body: "{}"}, class: setup, code: "incomplete_signature"},
	}
}

func answerChecks(kind call.Kind) []question {
	var checks []question
	for _, r := range slices.Concat(emulated(), named(kind), foreign()) {
		checks = append(checks, question{"answer/" + r.name, r.check})
	}
	return append(checks,
		question{"answer/rate of the account", checkRate},
		question{"answer/concurrency of the instance", checkConcurrency},
		question{"answer/numbers are masked", checkMasked})
}

// check dials once and compares the verdict with the row, the rings with the emulator and the requests with the wire.
func (r row) check(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	text := r.plan
	if text != "" {
		text += " op=" + string(operation(c.kind))
	}
	plan, err := connectemu.ParsePlan(text)
	if err == nil {
		err = lab.emulator.SetPlan(plan)
	}
	if err != nil {
		tb.Fatalf("the exam's own plan: %v", err)
	}
	if r.say != nil {
		lab.front.say(*r.say)
	}
	number := r.number
	if number == "" {
		number = answering
	}
	answers := dialInBackground(tb, d, lab.send(tb, d, order(tb, c.kind, number, 1)))
	if r.wait > 0 {
		await(tb, "the dialer and the fault to wait", func() bool {
			return lab.Clock.Sleepers() > 0 && lab.far.Sleepers() > 0 || len(answers) > 0
		})
		lab.advance(r.wait)
	}
	got := <-answers
	if got.Class != r.class || got.Code != r.code || got.Capacity != r.capacity || got.RetryAfter != r.after {
		tb.Errorf("got class %q code %q capacity %v retry after %v, want %q %q %v %v", got.Class, got.Code, got.Capacity, got.RetryAfter,
			r.class, r.code, r.capacity, r.after)
	}
	if (got.ContactID != "") != (r.class == call.ClassOK) {
		tb.Errorf("contact id %q with class %q", got.ContactID, got.Class)
	}
	if r.wait > 0 && got.Took != r.wait {
		tb.Errorf("took %v, want %v on the injected clock", got.Took, r.wait)
	}
	if r.class != call.ClassOK && (got.Message == "" || strings.ContainsAny(got.Message, "\r\n")) {
		tb.Errorf("the message %q is not one sentence", got.Message)
	}
	lab.expect(tb, r.rings, 1)
}

// expect compares rings and wire requests.
func (l *Lab) expect(tb testing.TB, rings, requests int) {
	tb.Helper()
	if got := len(l.emulator.ContactsOf(l.channel())); got != rings {
		tb.Errorf("%d rings, want %d", got, rings)
	}
	if got := len(l.emulator.Contacts()); got != rings {
		tb.Errorf("%d contacts of every kind, want %d", got, rings)
	}
	if got := len(l.front.requests()); got != requests {
		tb.Errorf("%d wire requests, want %d", got, requests)
	}
}

func checkRate(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, func(cfg *connectemu.Config) { rate(cfg, c.kind, connectemu.Rate{PerSecond: 2, Burst: 5}) })
	d := c.open(tb, lab)
	for n := range 5 {
		if got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, n))); got.Class != call.ClassOK {
			tb.Fatalf("dial %d: %+v", n, got)
		}
	}
	got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 5)))
	if got.Class != call.ClassThrottled || got.Capacity {
		tb.Errorf("the sixth dial at once: %+v, want throttled by rate", got)
	}
	lab.expect(tb, 5, 6)
}

func checkConcurrency(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, func(cfg *connectemu.Config) {
		cfg.MaxConcurrentCalls, cfg.Chats.MaxActive, cfg.Tasks.MaxActive = 1, 1, 1
	})
	d := c.open(tb, lab)
	d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 1)))
	got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 2)))
	if got.Class != call.ClassThrottled || !got.Capacity {
		tb.Errorf("the second call at once: %+v, want throttled by concurrency", got)
	}
	lab.expect(tb, 1, 2)
}

func checkMasked(tb testing.TB, c candidate) {
	tb.Helper()
	echoes := []string{`{"message":"The number ` + answering + ` is not valid"}`}
	if c.kind == call.KindVoice { // a number that is not sent is one that only its plus sign tells from other digits
		echoes = append(echoes, `{"message":"Number 12025550101, caller +447700900123,+819000000001"}`)
	}
	for _, echo := range echoes {
		lab := newLab(tb, c.kind, nil)
		d := c.open(tb, lab)
		lab.front.say(answer{status: http.StatusBadRequest, name: "InvalidParameterException", body: echo})
		got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 1)))
		for _, number := range []string{"12025550101", "447700900123", "819000000001"} {
			if strings.Contains(got.Message, number) {
				tb.Errorf("the message shows a full number: %s", strings.ReplaceAll(got.Message, number, "(number)"))
			}
		}
	}
}
