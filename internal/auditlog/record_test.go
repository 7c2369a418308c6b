package auditlog

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// Lines are written without reflection; what verifies them reads them with it.
func TestALineHoldsWhatTheMarshalerWouldWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,12}`), rapid.SampledFrom([]string{"", "<&>", "\u2028", "\x00\x1f\"\\/", "\xff", "a\xc3"}))
		r := Record{
			Seq: rapid.Int64().Draw(t, "seq"), Day: text.Draw(t, "day"), At: time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Actor: text.Draw(t, "actor"), Kind: text.Draw(t, "kind"), Action: text.Draw(t, "action"), CallID: text.Draw(t, "call"), Reason: text.Draw(t, "reason"),
			Answer: text.Draw(t, "answer"), Prev: text.Draw(t, "prev"),
		}
		if rapid.Bool().Draw(t, "personal") {
			r.Personal = map[string]string{"number": text.Draw(t, "number"), "name": text.Draw(t, "name")}
		}
		want, refused := json.Marshal(r, json.Deterministic(true))
		line, hash, err := r.append([]byte("before"))
		if (err != nil) != (refused != nil) {
			t.Fatalf("%v, and the marshaler says %v", err, refused)
		}
		if whole := "before" + lineOpen + hash + lineInner + string(want) + lineClose + "\n"; err == nil && (string(line) != whole || hash != hashOf(want)) {
			t.Errorf("%s\n%s", line, whole)
		}
	})
}
