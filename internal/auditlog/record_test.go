package auditlog

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
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
			Actor: text.Draw(t, "actor"), Kind: text.Draw(t, "kind"), Action: text.Draw(t, "action"), CallID: text.Draw(t, "call"), Target: text.Draw(t, "target"), Reason: text.Draw(t, "reason"),
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

// linesOfBefore are a log and its head as they were written before records had a target.
const linesOfBefore = `{"hash":"b1d01ff490ca77c2ca65069f263e6ab255a5d8e4f7452ff47e95595c8ecf75b8","record":{"seq":1,"day":"2026-11-30","at":"2026-11-30T12:00:00Z","actor":"auditlog","kind":"system","action":"log.genesis","reason":"6ae6783f4fbde91b6eb88b73a48ed247","prev":"0000000000000000000000000000000000000000000000000000000000000000"}}
{"hash":"d02ba1e332986f656fe518017621d80c16cb2a8e17ba488896b4636ed150516e","record":{"seq":2,"day":"2026-11-30","at":"2026-11-30T12:00:00Z","actor":"kim","kind":"operator","action":"pause","reason":"a drill","answer":"ok","prev":"b1d01ff490ca77c2ca65069f263e6ab255a5d8e4f7452ff47e95595c8ecf75b8"}}
{"hash":"ff6555313f821bce695d9d84dbef5e892bbda765bf2a683189f503874ca66df1","record":{"seq":3,"day":"2026-11-30","at":"2026-11-30T12:00:00Z","actor":"ada","kind":"operator","action":"addDoNotCall","reason":"they asked","answer":"ok","personal":{"number":"e4a6c1d9c19808485a99af12325c7e3d892809cc38624e3f8fbfe2aed04eba7b"},"prev":"d02ba1e332986f656fe518017621d80c16cb2a8e17ba488896b4636ed150516e"}}
`

const headOfBefore = "6ae6783f4fbde91b6eb88b73a48ed247 00000000000000000003 ff6555313f821bce695d9d84dbef5e892bbda765bf2a683189f503874ca66df1\n"

func TestALogOfBeforeRecordsHadATargetIsReadVerifiedAndContinued(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir(), Head: filepath.Join(t.TempDir(), "head"), Clock: still{}, Random: rand.Reader}
	if err := errors.Join(os.WriteFile(filepath.Join(o.Dir, fileName("2026-11-30")), []byte(linesOfBefore), 0o600), os.WriteFile(o.Head, []byte(headOfBefore), 0o600)); err != nil {
		t.Fatal(err)
	}
	verify := func(records int64) {
		t.Helper()
		head, err := ReadHead(o.Head)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() || r.Records != records {
			t.Errorf("%+v %v", r, err)
		}
	}
	verify(3)
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append(t.Context(), Act{Action: "pause", Target: "profile:alert"}), l.Close()); err != nil {
		t.Fatal(err)
	}
	verify(4)
	last, err := Tail(os.DirFS(o.Dir), 3)
	if err != nil || last[0].Action != "pause" || last[0].Target != "" || last[2].Target != "profile:alert" {
		t.Errorf("%+v %v", last, err)
	}
}

func TestATargetIsShownButForWhatCouldBeAWholeNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"all":                             "all",
		"profile:alert-2026":              "profile:alert-2026",
		"prefix:+81900000":                "prefix:+81900000",
		"prefix:+819000000001":            "prefix:+81******0001",
		"producer:api:shop/+819000000001": "producer:api:shop/+81******0001",
		"producer:arn:aws:sqs:us-east-1:111122223333:orders":     "producer:arn:aws:sqs:us-east-1:111122223333:orders",
		"producer:arn:aws:sqs:+819000000001:111122223333:orders": "producer:arn:aws:sqs:+81******0001:111122223333:orders",
		"producer:arn:aws:sqs:a:111122223333:+819000000001:x":    "producer:arn:aws:sqs:a:111122223333:+81******0001:x",
		"producer:arn:aws:sqs:a:+819000000001:x":                 "producer:arn:aws:sqs:a:+81******0001:x",
	} {
		if got := maskedTarget(text); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
