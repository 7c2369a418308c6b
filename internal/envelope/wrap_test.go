package envelope

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// wrapper puts a payload, or what another wrapper made of it, into one more envelope.
type wrapper struct {
	name string
	wrap func(tb testing.TB, inner string) string
}

var wrappers = []wrapper{
	{"sns-envelope", snsEnvelope},
	{"sns-records", snsRecords},
	{"eventbridge", func(_ testing.TB, inner string) string { return eventBridge("com.example", inner) }},
	{"lambda-record", func(_ testing.TB, inner string) string { return lambdaRecord("RetriesExhausted", inner) }},
}

// Whatever documented envelopes are around a request, in whatever order, exactly that request comes out.
func TestTheRequestSurvivesEveryChainOfEnvelopes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := map[string]any{
			"notificationId":         rapid.StringMatching(`[\p{Han}\p{L}0-9:/\\" .-]{0,20}[a-z]`).Draw(rt, "notificationId"),
			"recipientId":            rapid.StringMatching(`[a-z📞é"\\/{}\[\]]{1,20}`).Draw(rt, "recipientId"),
			"destinationPhoneNumber": rapid.StringMatching(`\+120255501[0-9]{2}`).Draw(rt, "phone"),
		}
		if rapid.Bool().Draw(rt, "attributes") {
			want["attributes"] = map[string]any{"note": rapid.String().Draw(rt, "note"), "k-1": ""}
		}
		content, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		document, nesting := string(content), []string{"payload"}
		for range rapid.IntRange(0, 3).Draw(rt, "depth") {
			w := rapid.SampledFrom(wrappers).Draw(rt, "wrapper")
			if w.name == "lambda-record" && nesting[0] == "payload" {
				nesting = append([]string{"direct"}, nesting...)
			}
			document, nesting = w.wrap(t, document), append([]string{w.name}, nesting...)
		}
		bytes := sqsBatch(t, document)
		nesting = append([]string{"sqs"}, nesting...)
		doc := Decode(bytes, at(processedAt))
		if len(doc.Records) != 1 || doc.Records[0].Verdict != VerdictOK {
			rt.Fatalf("%s: got %+v", bytes, doc.Records)
		}
		r := doc.Records[0]
		got, _ := asJSON(t, Explain(r))["request"].(map[string]any)
		if !maps.EqualFunc(got, want, equalJSON) {
			rt.Fatalf("got %v, want %v", got, want)
		}
		if !slices.Equal(r.Nesting, nesting) {
			rt.Fatalf("got %v, want %v", r.Nesting, nesting)
		}
	})
}

func equalJSON(a, b any) bool {
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && string(left) == string(right)
}
