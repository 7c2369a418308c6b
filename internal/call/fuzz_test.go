package call

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)

// FuzzPhone asks of any text: it is a number exactly when E.164 says so, and no way of printing shows the digits in the middle.
func FuzzPhone(f *testing.F) {
	for _, text := range []string{
		"", "+", "+1", "+12", "+12025550101", "+819000000001", "+447700900001", "12025550101", "0012025550101", "+1 202 555 0101", "+1202555０101", "＋12025550101",
		"+12025550101x1", "+" + strings.Repeat("1", 15), "+" + strings.Repeat("1", 16), "+02025550101", "+12025550101\n", "\u202e+12025550101", "+1202555\u200b0101", "1e999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		phone, err := ParsePhone(text)
		if (err == nil) != e164.MatchString(text) || strings.Contains(text, "\n") && err == nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			if CodeOf(err) != CodeFieldValue || !phone.IsZero() || len(text) > 6 && strings.Contains(err.Error(), text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if phone.Wire() != text {
			t.Fatalf("%q goes on the wire as %q", text, phone.Wire())
		}
		encoded, _ := json.Marshal(phone)
		for _, shown := range []string{
			phone.String(), fmt.Sprintf("%v", phone), fmt.Sprintf("%+v", phone), fmt.Sprintf("%#v", phone), fmt.Sprintf("%q", phone), fmt.Sprintf("%x", phone), string(encoded),
		} {
			digits := strings.Count(shown, "") - 1 - len(strings.Map(nonDigit, shown))
			if most := map[bool]int{true: 6}[len(text) >= 11]; digits > most || strings.Contains(shown, text[1:]) {
				t.Fatalf("%q is shown as %q", text, shown)
			}
		}
	})
}

func nonDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// FuzzFingerprint asks of any two texts: the canonical form is JSON of ASCII, means what it was made of, and is the same for the same text only.
func FuzzFingerprint(f *testing.F) {
	for _, pair := range [][2]string{{"", " "}, {"a", "b"}, {`"`, `\"`}, {"\\", "\\\\"}, {"é", "e\u0301"}, {"\u2028", "\\u2028"}, {"😀", "\\ud83d\\ude00"}, {"\x00", "\\u0000"}, {"\x7f", "\u0080"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // refused before (Request.Validate)
		}
		form := appendQuoted(nil, a)
		var back string
		if err := json.Unmarshal(form, &back); err != nil || back != a {
			t.Fatalf("%q is written as %s, which reads as %q (%v)", a, form, back, err)
		}
		for _, c := range form {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is written as %q", a, form)
			}
		}
		if same := string(form) == string(appendQuoted(nil, b)); same != (a == b) {
			t.Fatalf("%q and %q have one form: %v", a, b, same)
		}
		key := Key{Kind: "voice"}
		ask := func(profile, name, value string) string {
			return Fingerprint(key, Request{Profile: profile, Attributes: map[string]string{name: value}}, nil)
		}
		if a != b && (ask(a, "n", "v") == ask(b, "n", "v") || ask("", "n", a) == ask("", "n", b) || ask("", a, "v") == ask("", b, "v")) {
			t.Fatalf("%q and %q have one fingerprint", a, b)
		}
		if ask("", a, b) == ask("", b, a) && a != b {
			t.Fatalf("%q and %q change places without a trace", a, b)
		}
	})
}
