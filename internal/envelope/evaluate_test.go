package envelope

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// evaluationOf returns what an expression gives, as JSON.
func evaluationOf(tb testing.TB, text, payload string) (string, error) {
	tb.Helper()
	e, err := compile(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	ev := &evaluation{budget: budgetFor(e.nodes, raw(payload))}
	result, err := ev.evaluate(e.root, found{value: raw(payload)})
	return asText(result), err
}

func asText(f found) string {
	if !f.isList {
		if f.nothing() {
			return "null"
		}
		return string(f.value)
	}
	parts := make([]string, len(f.list))
	for i, element := range f.list {
		parts[i] = asText(element)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

const sample = `{"a":{"b":{"c":"deep"}},"list":[{"k":"x","n":1},{"k":"y","n":2},{"k":"x","n":3},null],"s":"text","e":"","n":7,"big":9007199254740993,` +
	`"t":true,"f":false,"z":null,"odd name":"q","nested":[["p","q"],["r"]],"eo":{},"ea":[ ],"u":"\u00e9\"\\"}`

// expressionCases are expressions with what JMESPath says they give on the sample.
var expressionCases = []struct{ text, want string }{
	{"a.b.c", `"deep"`},
	{"a.x.c", "null"},
	{"s.b", "null"},
	{"@", sample},
	{`"odd name"`, `"q"`},
	{"list[0].k", `"x"`},
	{"list[-2].k", `"x"`},
	{"list[9]", "null"},
	{"list[-9]", "null"},
	{"s[0]", "null"},
	{"list[*].k", `["x","y","x"]`},
	{"list[*].missing", "[]"},
	{"s[*].k", "null"},
	{"list[?k=='x'].n", "[1,3]"},
	{"list[?n>`1`].k", `["y","x"]`},
	{"list[?n>=`1` && n<`3`].n | [-1]", "2"},
	{"list[?k!='x'].n", "[2]"},
	{"list[?!k].n", "[]"},
	{"list[?k && contains(['x','z'], k)] | [1].n", "3"},
	{"nested[*][0]", `["p","r"]`},
	{"nested[0][1]", `"q"`},
	{"[s, n, z]", `["text",7,null]`},
	{"z || s", `"text"`},
	{"e || s", `"text"`},
	{"eo || s", `"text"`},
	{"ea || s", `"text"`},
	{"f || s", `"text"`},
	{"n || s", "7"},
	{"s && n", "7"},
	{"e && n", `""`},
	{"!e", "true"},
	{"!s", "false"},
	{"!z", "true"},
	{"n == `7`", "true"},
	{"n == '7'", "false"},
	{"z == missing", "true"},
	{"t == `true`", "true"},
	{"t != f", "true"},
	{"z.[k, n]", "null"},
	{"missing | [@, @]", "null"},
	{"list[*].[k, n]", `[["x",1],["y",2],["x",3]]`},
	{"n <= `7.0`", "true"},
	{"a.b | c", `"deep"`},
	{"missing | @", "null"},
	{"missing | not_null(@, 'x')", `"x"`},
	{"(a || z).b.c", `"deep"`},
	{"'literal'", `"literal"`},
	{"`true`", "true"},
	{"`12`", "12"},
	{"`null`", "null"},
	{"not_null(z, missing, s)", `"text"`},
	{"not_null(z)", "null"},
	{"join('-', ['a', s, 'b'])", `"a-text-b"`},
	{"join(', ', nested[0])", `"p, q"`},
	{"join('x', ea)", `""`},
	{"to_string(n)", `"7"`},
	{"to_string(s)", `"text"`},
	{"starts_with(s, 'te')", "true"},
	{"ends_with(s, 'te')", "false"},
	{"contains(s, 'ex')", "true"},
	{"contains(nested[0], 'q')", "true"},
	{"contains(nested[0], 'z')", "false"},
	{"join('', [u, u])", `"é\"\\é\"\\"`},
	{"list[*].[k, n] | [1][0]", `"y"`},
}

// beyondStandard are functions of JMESPath Community.
var beyondStandard = []struct{ text, want string }{
	{"upper(s)", `"TEXT"`},
	{"lower('ABC')", `"abc"`},
	{"split('a/b/c', '/')[1]", `"b"`},
	{"split(s, '/')", `["text"]`},
	{"to_string(missing)", "null"},
}

func TestExpressionsGiveWhatJMESPathSays(t *testing.T) {
	t.Parallel()
	for _, c := range append(expressionCases, beyondStandard...) {
		if got, err := evaluationOf(t, c.text, sample); got != c.want || err != nil {
			t.Errorf("%s gives %s, %v; want %s", c.text, got, err, c.want)
		}
	}
}

// Where JMESPath would guess, nothing is found.
func TestWhatReadersDisagreeAboutIsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"big > `1`", "big == big", "a == a", "list == list", "nested[0] != `1`", "s < n", "s < 'x'"} {
		if got, err := evaluationOf(t, text, sample); got != "null" || err != nil {
			t.Errorf("%s gives %s, %v", text, got, err)
		}
	}
}

func TestNoExpressionCostsMoreThanItsPartsTimesThePayload(t *testing.T) {
	t.Parallel()
	wide := `{"a":[` + strings.Repeat("{},", maxMappedElements) + `{}]}`
	double := strings.TrimSuffix(strings.Repeat("[@,@]|", 12), "|")
	for name, c := range map[string]struct {
		text, payload string
		want          error
	}{
		"a wide list":           {"a[*]", wide, errWide},
		"the last of many":      {"a[-1]", wide, errWide},
		"doubling lists":        {double + "|[0]", sample, nil}, // 24 references, no copies
		"joining joins":         {"join('', [s,s]) | join('',[@,@]) | join('',[@,@])", `{"s":"` + strings.Repeat("x", 20_000) + `"}`, errLongText},
		"a long glue":           {"join(s, a)", `{"s":"` + strings.Repeat("x", 600) + `","a":[` + strings.Repeat(`"",`, 900) + `""]}`, errLongText},
		"many parts":            {"split(s, ',')", `{"s":"` + strings.Repeat(",", 2000) + `"}`, errWide},
		"the same look again":   {strings.TrimSuffix(strings.Repeat("s==s && ", 12), " && "), `{"s":"` + strings.Repeat("x", 1<<20) + `"}`, nil},
		"nested lists of lists": {"a[*].a[*].a[*]", `{"a":[{"a":[{"a":[1,2]},{"a":[3]}]}]}`, nil},
	} {
		if _, err := evaluationOf(t, c.text, c.payload); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	ev := &evaluation{budget: 10}
	e, _ := compile("a.b.c")
	if _, err := ev.evaluate(e.root, found{value: raw(sample)}); !errors.Is(err, errCostly) {
		t.Errorf("the budget is not held: %v", err)
	}
}

// A list of a thousand elements, squared by a list over it, is the worst that is left.
func TestListsOfListsAreHeldByTheBudget(t *testing.T) {
	t.Parallel()
	payload := `{"a":[` + strings.Repeat(`"x",`, 999) + `"x"]}`
	text := "a | [[@,@,@,@],[@,@,@,@],[@,@,@,@]] | [*][*][*].[@,@,@]"
	if _, err := evaluationOf(t, text, payload); err != nil && !errors.Is(err, errCostly) {
		t.Errorf("%v", err)
	}
}

// Not parallel: it counts what the process allocates.
func TestAMappedDocumentStaysWithinTheMemoryLimit(t *testing.T) { //nolint:paralleltest // see above
	shapes := map[string]string{
		"empty objects": `{"order":{"id":"o"},"x":[` + strings.Repeat("{},", 1<<20/3) + `{}]}`,
		"empty lists":   `{"order":[` + strings.Repeat("[],", 1<<20/3) + `[]]}`,
		"numbers":       `{"customer":{"phones":[` + strings.Repeat("1,", 1<<19) + `1]}}`,
		"one string":    `{"order":{"id":"` + strings.Repeat("x", 1<<20) + `"}}`,
		"escapes":       `{"order":{"id":"` + strings.Repeat(`\u0061`, 1<<20/6) + `"}}`,
	}
	options := mapped(t, orders)
	for name, payload := range shapes {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Decode([]byte(payload), options)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: %d bytes for 1 MiB", name, used)
		}
	}
}
