package call

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func number(t testing.TB, s string) Phone {
	t.Helper()
	p, err := ParsePhone(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func asked(t testing.TB) Request {
	t.Helper()
	return Request{NotificationID: "notification-12345", RecipientID: "user-67890", Destination: number(t, "+819000000001")}
}

// The vectors were computed by another program from the description of the canonical form.
func TestFingerprintsAreTheFixedVectors(t *testing.T) {
	t.Parallel()
	rich := asked(t)
	rich.Profile = "alert"
	rich.Attributes = map[string]string{"language": "ja-JP", "name": `山田 "太郎" \ 😀`, "lf": "a\nb\x7f"}
	event := with(article(), func(k *Key) { k.Instead = "event-1" })
	for _, tc := range []struct {
		name, got, want string
	}{
		{"bare", Fingerprint(article(), asked(t), nil), "CudjIhQmAGkxDyZZtsqAw7tjWP4PBNKngKc01S0h7hw"},
		{"attributes and profile", Fingerprint(article(), rich, nil), "cJHeJDifoPUw4vN57mtmzBhcIxmDE0aKjFxCySbL30E"},
		{"with the ids of an event", Fingerprint(event, asked(t), nil), "3Xq_dPPQabXpiBJicaLTux4mcTYVtZKT56mmAEb9eKg"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestWhatIsAndIsNotInTheFingerprint(t *testing.T) {
	t.Parallel()
	base := Fingerprint(article(), asked(t), []string{"trace"})
	for _, tc := range []struct {
		name   string
		change func(*Request)
		same   bool
	}{
		{"empty attributes", func(r *Request) { r.Attributes = map[string]string{} }, true},
		{"an ignored attribute", func(r *Request) { r.Attributes = map[string]string{"trace": "1-5759e988"} }, true},
		{"requestedAt", func(r *Request) { r.RequestedAt = time.Unix(1, 0) }, true},
		{"notAfter", func(r *Request) { r.NotAfter = time.Unix(1, 0) }, true},
		{"action", func(r *Request) { r.Action = ActionCall }, true},
		{"timeZone", func(r *Request) { r.TimeZone = "Asia/Tokyo" }, true},
		{"urgent", func(r *Request) { r.Urgent = true }, true},
		{"a client token that is not the identity", func(r *Request) { r.ClientToken = "mine" }, true},
		{"ids, which are the key", func(r *Request) { r.NotificationID = "other" }, true},
		{"another number", func(r *Request) { r.Destination = number(t, "+819000000002") }, false},
		{"an attribute", func(r *Request) { r.Attributes = map[string]string{"a": ""} }, false},
		{"the profile as asked", func(r *Request) { r.Profile = "default" }, false},
	} {
		r := asked(t)
		tc.change(&r)
		if got := Fingerprint(article(), r, []string{"trace"}) == base; got != tc.same {
			t.Errorf("%s: same fingerprint %v, want %v", tc.name, got, tc.same)
		}
	}
}

func TestTheIdsJoinTheFingerprintWhenTheyAreNotTheKey(t *testing.T) {
	t.Parallel()
	k := with(article(), func(k *Key) { k.Instead = "event-1" })
	a, b := asked(t), asked(t)
	b.RecallID = "again"
	if Fingerprint(k, a, nil) == Fingerprint(k, b, nil) {
		t.Error("the recallId is lost")
	}
	b = asked(t)
	b.RecipientID = "other"
	if Fingerprint(k, a, nil) == Fingerprint(k, b, nil) {
		t.Error("the recipientId is lost")
	}
}

func TestFingerprintsDoNotDependOnOrderAndSeparateValues(t *testing.T) {
	t.Parallel()
	attributes := rapid.MapOf(rapid.StringMatching(`[a-c]{1,2}`), rapid.StringOf(rapid.SampledFrom([]rune{'a', '"', '\\', '\n', 'é', '😀', ',', ':'})))
	rapid.Check(t, func(rt *rapid.T) {
		a, b := asked(t), asked(t)
		a.Attributes, b.Attributes = attributes.Draw(rt, "a"), attributes.Draw(rt, "b")
		x, errA := json.Marshal(a.Attributes)
		y, errB := json.Marshal(b.Attributes)
		if errA != nil || errB != nil {
			rt.Fatal(errA, errB)
		}
		if same := string(x) == string(y); (Fingerprint(article(), a, nil) == Fingerprint(article(), b, nil)) != same {
			rt.Fatalf("%s and %s: same %v, fingerprints say otherwise", x, y, same)
		}
	})
}

func TestTheCanonicalFormIsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.String().Draw(rt, "value")
		var got string
		if err := json.Unmarshal(appendQuoted(nil, want), &got); err != nil || got != want {
			rt.Fatalf("%q became %q: %v", want, got, err)
		}
	})
}

func TestAListIsPartOfTheFingerprintOnlyWhenThereIsOne(t *testing.T) {
	t.Parallel()
	k := Key{Kind: KindVoice, NotificationID: "n", RecipientID: "r"}
	plain := Fingerprint(k, Request{Profile: "p"}, nil)
	if Fingerprint(k, Request{Profile: "p", Escalation: []Recipient{}}, nil) != plain {
		t.Error("a request without a list has another fingerprint than before there were lists")
	}
	seen := map[string]bool{plain: true}
	for _, list := range [][]Recipient{
		{{RecipientID: "a"}},
		{{RecipientID: "b"}},
		{{RecipientID: "a"}, {RecipientID: "b"}},
		{{RecipientID: "b"}, {RecipientID: "a"}},
		{{RecipientID: "a", Destination: "+12025550101"}},
		{{RecipientID: "a", Profile: "p"}},
	} {
		f := Fingerprint(k, Request{Profile: "p", Escalation: list}, nil)
		if seen[f] {
			t.Errorf("%+v has the fingerprint of another request", list)
		}
		seen[f] = true
	}
}
