package envelope

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// The grader is an oracle, so it must be seen failing: every mutation of an expectation has to be reported.
func TestGraderReportsAWrongExpectation(t *testing.T) {
	t.Parallel()
	c := loadCorpus(t)
	byID := map[string]document{}
	for _, want := range c.Files {
		byID[want.ID] = want
	}
	mutations := []struct {
		name, id, member string
		value            any
	}{
		{"another phone", "sqs-standard-01", "request", map[string]any{"destinationPhoneNumber": "+12025550199"}},
		{"another batch id", "sqs-standard-01", "batchItemFailureId", "00000000-0000-4000-8000-000000000000"},
		{"another verdict", "bad-phone-05", "verdict", "ok"},
		{"another reason", "bad-phone-05", "reason", "field_type"},
		{"another delivery", "sns-sqs-envelope-01", "identity", map[string]any{"delivery": "other"}},
		{"a younger stamp", "window-boundary-03", "firstRequestedAt", map[string]any{"value": "2026-11-29T02:59:00.000Z"}},
		{"a window that is proven", "window-boundary-04", "window", "inside"},
		{"another receive count", "sqs-redelivery-02", "receiveCount", json.Number("1")},
		{"no earlier attempt", "eventbridge-replay-01", "mayHaveRunBefore", "unknown"},
		{"a rounded Kafka offset", "kafka-03", "batchItemFailureId", map[string]any{"partition": "call-requests-5", "offset": json.Number("9007199254740992")}},
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			want, ok := byID[m.id]
			if !ok {
				t.Fatalf("the corpus has no %s", m.id)
			}
			got := Decode(readEvent(t, *want.File), Options{Now: c.ProcessedAt})
			if wrong := gradeDocument(t, want, got); len(wrong) > 0 {
				t.Fatalf("the untouched expectation is reported: %v", wrong)
			}
			planted := maps.Clone(want.Records[0])
			if members, ok := m.value.(map[string]any); ok {
				original, _ := planted[m.member].(map[string]any)
				mutated := maps.Clone(original)
				maps.Copy(mutated, members)
				planted[m.member] = mutated
			} else {
				planted[m.member] = m.value
			}
			want.Records = append([]expectation{planted}, want.Records[1:]...)
			wrong := gradeDocument(t, want, got)
			if len(wrong) != 1 || !strings.Contains(wrong[0], m.member) {
				t.Fatalf("the planted %s is not reported alone: %v", m.member, wrong)
			}
		})
	}
}

func TestGraderCountsAnAcceptableAlternativeAsRight(t *testing.T) {
	t.Parallel()
	want := expectation{
		"verdict": "reject", "reason": "field_case", "request": nil,
		"acceptable": []any{map[string]any{"verdict": "ok", "request": map[string]any{"notificationId": "n"}}},
	}
	right := map[string]any{"verdict": "ok", "reason": nil, "request": map[string]any{"notificationId": "n"}}
	if wrong := grade(want, right); len(wrong) > 0 {
		t.Errorf("an acceptable answer is reported: %v", wrong)
	}
	other := map[string]any{"verdict": "ok", "reason": nil, "request": map[string]any{"notificationId": "m"}}
	if wrong := grade(want, other); len(wrong) == 0 {
		t.Error("an acceptable verdict with another request is not reported")
	}
}
