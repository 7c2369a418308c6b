package lambda

import (
	"slices"
	"testing"
)

// The stand-in for the event source mapping keeps what AWS keeps; a stand-in that forgives would hide a response that loses messages.
func TestScenarioI31TheQueueOfTheTestsKeepsWhatAWSWouldKeep(t *testing.T) {
	t.Parallel()
	all := []string{"a", "b"}
	for _, wrong := range []string{
		`{"batchItemFailures":[{"itemIdentifier":""}]}`, `{"batchItemFailures":[{"itemIdentifier":null}]}`, `{"batchItemFailures":[{}]}`,
		`{"batchItemFailures":[{"itemIdentifier":7}]}`, `{"batchItemFailures":[{"ItemIdentifier":"a"}]}`, `{"batchItemFailures":[{"itemIdentifier":"c"}]}`,
		`{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}`, `{"batchItemFailures":`, `[]`, `"ok"`,
	} {
		if kept := queueKeeps([]byte(wrong), nil, all); !slices.Equal(kept, all) {
			t.Errorf("%s keeps %q, AWS keeps everything", wrong, kept)
		}
	}
	for _, done := range []string{`{"batchItemFailures":[]}`, `{"batchItemFailures":null}`, `{}`, `null`, ``} {
		if kept := queueKeeps([]byte(done), nil, all); len(kept) > 0 {
			t.Errorf("%q keeps %q, AWS keeps nothing", done, kept)
		}
	}
	if kept := queueKeeps([]byte(`{"batchItemFailures":[{"itemIdentifier":"b"}]}`), nil, all); !slices.Equal(kept, []string{"b"}) {
		t.Errorf("one failure keeps %q", kept)
	}
}
