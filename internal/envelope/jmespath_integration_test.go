//go:build integration

package envelope

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ringonce/ringonce/internal/awstest"
)

// TestExpressionsGiveWhatTheReferenceImplementationGives compares the evaluator with JMESPath in Python: on the table of the unit test, and on
// expressions that are drawn. What the evaluator decides otherwise on purpose is not drawn: comparisons of containers, numbers beyond 2^53, to_string
// of nothing, fractions and containers, and the order of strings, which JMESPath leaves undefined and Python does not.
func TestExpressionsGiveWhatTheReferenceImplementationGives(t *testing.T) {
	t.Parallel()
	drawn := &expressions{rand.New(rand.NewPCG(7, 11))}
	var texts []string
	for _, c := range expressionCases {
		texts = append(texts, c.text)
	}
	for len(texts) < 4000 {
		if text := drawn.expression(3); len(text) <= maxExpressionBytes {
			if _, err := compile(text); err == nil {
				texts = append(texts, text)
			}
		}
	}
	pairs := make([][2]any, len(texts))
	for i, text := range texts {
		pairs[i] = [2]any{text, json.RawMessage(sample)}
	}
	input, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	var reference []any
	if err := json.Unmarshal(awstest.JMESPath(t, input), &reference); err != nil || len(reference) != len(texts) {
		t.Fatalf("%d results: %v", len(reference), err)
	}
	same, found := 0, 0
	for i, text := range texts {
		got, err := evaluationOf(t, text, sample)
		failed, _ := reference[i].(map[string]any)
		if _, fails := failed["error"]; fails || err != nil {
			if failed["error"] != nil && err != nil {
				same++
				continue
			}
			t.Errorf("%s: %v, and the reference %v", text, err, reference[i])
			continue
		}
		var ours any
		if err := json.Unmarshal([]byte(got), &ours); err != nil {
			t.Fatalf("%s gives %s: %v", text, got, err)
		}
		if !reflect.DeepEqual(ours, reference[i]) {
			t.Errorf("%s gives %s, and the reference %v", text, got, reference[i])
		}
		if reference[i] != nil {
			found++
		}
		same++
	}
	if found < len(texts)/4 {
		t.Errorf("only %d of %d expressions find anything: the comparison is hollow", found, len(texts))
	}
	t.Logf("%d expressions agree, %d of them find something", same, found)
}

// expressions draws expressions over the sample.
type expressions struct{ r *rand.Rand }

func (x *expressions) of(list ...string) string { return list[x.r.IntN(len(list))] }

func (x *expressions) scalar() string {
	return x.of("s", "n", "e", "t", "f", "z", "missing", "a.b.c", "'x'", "'text'", "`7`", "`1.5`", "`true`", "`null`", `"odd name"`, "k", "list[0].k", "nested[1][0]")
}

func (x *expressions) expression(depth int) string {
	if depth == 0 {
		return x.of(x.scalar(), "@", "a", "list", "nested", "eo", "ea", "a.b")
	}
	sub := func() string { return "(" + x.expression(x.r.IntN(depth)) + ")" }
	switch x.r.IntN(14) {
	case 0:
		return sub() + "." + x.of("a", "b", "c", "k", "n", "[k, n]", `"odd name"`)
	case 1:
		return sub() + x.of("[0]", "[-1]", "[1]", "[7]", "[-7]")
	case 2:
		return sub() + "[*]" + x.of("", ".k", "[0]", ".[k, @]", ".n")
	case 3:
		return sub() + "[?" + x.of("k", "!k", "n > `1` && n", "k == 'x'", "@ == `null`", x.scalar()+" "+x.of("==", "!=")+" "+x.scalar()) + "]" + x.of("", ".k", "[0]")
	case 4:
		return sub() + " | " + sub()
	case 5:
		return "(" + sub() + " || " + sub() + ")"
	case 6:
		return "(" + sub() + " && " + sub() + ")"
	case 7:
		return "!" + x.scalar()
	case 8:
		if x.r.IntN(2) == 0 {
			return x.of("`1`", "`7`", "`1.5`") + " " + x.of("<", "<=", ">", ">=") + " " + x.of("`1`", "`7`", "`-2`")
		}
		return x.scalar() + " " + x.of("==", "!=") + " " + x.scalar()
	case 9:
		return "not_null(" + sub() + ", " + sub() + ")"
	case 10:
		return "join(" + x.of("'-'", "s", "e", "z") + ", " + x.of("nested[0]", "list[*].k", "[s, e]", "[s, n]", "ea", sub()) + ")"
	case 11:
		return "[" + sub() + ", " + sub() + "]"
	case 12:
		return x.of("starts_with", "ends_with", "contains") + "(" + x.of("s", "a.b.c", "'text'", "e", "u") + ", " + x.of("'te'", "s", "e", "'p'") + ")"
	}
	return "to_string(" + x.of("'x'", "`12`", "`-3`") + ")"
}
