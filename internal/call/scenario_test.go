package call

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestScenarioI47TheCanonicalFormIsARuleAndNoHabitOfALibrary(t *testing.T) {
	t.Parallel()
	of := func(attributes map[string]string) string {
		r := asked(t)
		r.Attributes = attributes
		return Fingerprint(article(), r, nil)
	}
	for name, pair := range map[string][2]map[string]string{
		"decimals are texts":                 {{"price": "1.10"}, {"price": "1.1"}},
		"an empty value is a value":          {{"note": ""}, {}},
		"the order of values is not sorted":  {{"a": "1", "b": "2"}, {"a": "2", "b": "1"}},
		"composed and decomposed are two":    {{"name": "\u00e9"}, {"name": "e\u0301"}},
		"a name cannot run into its value":   {{"a": "b", "c": "d"}, {"a": `b","c":"d`}},
		"letters of another case are others": {{"Name": "x"}, {"name": "x"}},
	} {
		if of(pair[0]) == of(pair[1]) {
			t.Errorf("%s: one fingerprint for %v and %v", name, pair[0], pair[1])
		}
	}
	if of(nil) != of(map[string]string{}) {
		t.Error("absent, null and {} are stated to be one value")
	}
	// Names are in the order of their bytes, whatever the locale: Z before a, and U+FF5E before U+1F600, which UTF-16 sorts the other way round.
	buf := appendAttributes(nil, map[string]string{"a": "", "Z": "", "\u00e4": "", "\uff5e": "", "\U0001f600": ""}, nil)
	order := []string{`"Z"`, `"a"`, `"\u00e4"`, `"\uff5e"`, `"\ud83d\ude00"`}
	last := -1
	for _, name := range order {
		at := strings.Index(string(buf), name)
		if at <= last {
			t.Errorf("%s stands at %d in %s", name, at, buf)
		}
		last = at
	}
}

func TestScenarioI49NamesThatDifferInCaseAloneKeepTheirValuesInEveryOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 9))
	names := []string{"A", "a", "Key", "key", "KEY", "\u00c4", "\u00e4"}
	fingerprints := map[string]int{}
	for range 10_000 {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		attributes := map[string]string{}
		for _, name := range names {
			attributes[name] = "value of " + name
		}
		r := asked(t)
		r.Attributes = attributes
		fingerprints[Fingerprint(article(), r, nil)]++
	}
	if len(fingerprints) != 1 {
		t.Errorf("%d fingerprints of one request", len(fingerprints))
	}
	swapped := asked(t)
	swapped.Attributes = map[string]string{"A": "value of a", "a": "value of A"}
	right := asked(t)
	right.Attributes = map[string]string{"A": "value of A", "a": "value of a"}
	if Fingerprint(article(), swapped, nil) == Fingerprint(article(), right, nil) {
		t.Error("swapped values are the same request")
	}
}

func TestScenarioI55EveryKindOfContactHasRecordsOfItsOwn(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, kind := range []Kind{KindVoice, "task", "chat", "mail"} { // the last is not made; the place in the key is there for all
		k := article()
		k.Kind = kind
		rows = append(rows, Naming{}.Row(k, 0), Naming{Mode: IdentityHMAC, Secret: []byte("0123456789abcdef0123456789abcdef")}.Row(k, 0))
	}
	slices.Sort(rows)
	if distinct := slices.Compact(slices.Clone(rows)); len(distinct) != len(rows) {
		t.Errorf("%d rows for %d kinds and namings", len(distinct), len(rows))
	}
}
