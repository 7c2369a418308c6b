package connectemu_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/connectemu"
)

func drawRule(t *rapid.T) connectemu.Rule {
	rule := connectemu.Rule{
		Fault:       rapid.SampledFrom(connectemu.Faults()).Draw(t, "fault"),
		Operation:   rapid.SampledFrom([]connectemu.Operation{"", "*", connectemu.OpStart, connectemu.OpDescribe, connectemu.OpStop, connectemu.OpSearch}).Draw(t, "op"),
		Number:      rapid.SampledFrom([]string{"", answers, "+12025550101"}).Draw(t, "number"),
		Token:       rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]*`), rapid.Just(""), rapid.Just("a; b # \"c\"\n\xff")).Draw(t, "token"),
		Nth:         rapid.IntRange(0, 5).Draw(t, "nth"),
		Times:       rapid.IntRange(0, 5).Draw(t, "times"),
		Probability: rapid.Float64Range(0, 1).Draw(t, "p"),
	}
	switch rule.Fault { //nolint:exhaustive // the others take nothing
	case connectemu.PlaceThenDelay, connectemu.Slow, connectemu.ArriveLate:
		rule.Delay = time.Duration(rapid.Int64Range(1, int64(1000*time.Hour)).Draw(t, "delay"))
	case connectemu.Refuse, connectemu.Throttle:
		rule.Code = rapid.SampledFrom([]string{"", connectemu.CodeAccessDenied, connectemu.CodeThrottling}).Draw(t, "code")
	}
	return rule
}

func TestPlansAreReadBackAsTheyArePrinted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := connectemu.Plan{Seed: rapid.Uint64().Draw(t, "seed"), Rules: rapid.SliceOfN(rapid.Custom(drawRule), 0, 5).Draw(t, "rules")}
		if len(plan.Rules) == 0 {
			plan.Rules = nil
		}
		text := plan.String()
		got, err := connectemu.ParsePlan(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(got, plan) {
			t.Fatalf("%s:\ngot  %+v\nwant %+v", text, got, plan)
		}
		if strings.ContainsAny(text, "\n\r") {
			t.Fatalf("the plan is not one line: %q", text)
		}
	})
}

func TestPlanText(t *testing.T) {
	t.Parallel()
	const text = `seed=7; place-then-reset number=+12025550101 nth=1; throttle times=3 p=0.25; ` +
		`refuse(AccessDeniedException) op=*; place-then-delay(20s) token="a b"; place-then-{}`
	plan, err := connectemu.ParsePlan("# a comment; with a semicolon\n" + strings.ReplaceAll(text, "; ", "\n  ") + " # the end")
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.String(); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
	var again connectemu.Plan
	encoded, err := plan.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := again.UnmarshalText(encoded); err != nil || !reflect.DeepEqual(again, plan) {
		t.Errorf("text form: %v %v", again, err)
	}
}

func TestPlansThatCannotBeReadNameTheRule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"explode":                     `rule 1: connectemu: fault "explode" is unknown`,
		"fail-500; nth=1":             `rule 2: connectemu: fault "nth=1" is unknown`,
		"seed=x":                      `seed "x" is not a whole number`,
		"slow":                        "rule 1: slow has no delay",
		"slow(soon)":                  `delay "soon" is not a duration`,
		"slow(-1s)":                   "slow has no delay",
		"slow(1s":                     "no closing parenthesis",
		"fail-500(1s)":                "fail-500 takes no error name",
		"refuse(No Such)":             "no closing parenthesis",
		"refuse(a-b)":                 `error name "a-b"`,
		"fail-500 nth":                `"nth" is not name=value`,
		"fail-500 nth=x":              `nth "x" is not a number`,
		"fail-500 nth=-1":             "cannot be negative",
		"fail-500 p=2":                "p is 2",
		"fail-500 p=NaN":              "p is NaN",
		"fail-500 op=Dial":            `op "Dial" is unknown`,
		"fail-500 number=12025550101": "is not E.164",
		"fail-500 color=red":          `"color" is unknown`,
		`fail-500 token="a`:           "quotation mark is not closed",
	} {
		_, err := connectemu.ParsePlan(text)
		if !errors.Is(err, connectemu.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "12025550101") {
			t.Errorf("%s: the error shows a number: %v", text, err)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add("seed=7; place-then-reset number=+12025550101 nth=1; throttle p=0.25")
	f.Add(`slow(1s) token="\xff"; # x`)
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := connectemu.ParsePlan(text)
		if err != nil {
			return
		}
		again, err := connectemu.ParsePlan(plan.String())
		if err != nil || !reflect.DeepEqual(plan, again) {
			t.Fatalf("%q became %q: %v", text, plan, err)
		}
	})
}

func TestRulesCountAndChoose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	w.plan(
		connectemu.Rule{Fault: connectemu.Fail500, Token: "a", Nth: 2},
		connectemu.Rule{Fault: connectemu.Fail503, Number: busy, Times: 2},
		connectemu.Rule{Fault: connectemu.Fail500, Nth: 1},
	)
	for i, step := range []struct {
		number, token string
		fails         bool
	}{
		{answers, "a", true},  // the third rule's first request
		{answers, "a", true},  // the first rule's second request
		{answers, "a", false}, // no rule
		{busy, "b", true},     // the second rule
		{busy, "c", true},     // the second rule again
		{busy, "d", false},    // it was used twice
	} {
		_, err := w.start(step.number, step.token)
		if (err != nil) != step.fails {
			t.Errorf("step %d: got %v", i, err)
		}
	}
	if got := w.server.FaultCounts(); !reflect.DeepEqual(got, []int{1, 2, 1}) {
		t.Errorf("counts: got %v", got)
	}
	w.server.Reset()
	if got := w.server.FaultCounts(); !reflect.DeepEqual(got, []int{0, 0, 0}) {
		t.Errorf("counts after a reset: got %v", got)
	}
	if _, err := w.start(answers, "a"); err == nil {
		t.Error("after a reset the third rule did not meet the first request")
	}
}

func TestFirstRuleThatAppliesDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(connectemu.Rule{Fault: connectemu.Fail503}, connectemu.Rule{Fault: connectemu.Fail500})
	_, err := w.start(answers, "a")
	wantCode(t, err, connectemu.CodeServiceUnavailable, 503)
	if got := w.server.FaultCounts(); !reflect.DeepEqual(got, []int{1, 0}) {
		t.Errorf("counts: got %v", got)
	}
}

func TestChanceIsDecidedByTheSeedAndNotByTheOrder(t *testing.T) {
	t.Parallel()
	met := func(seed uint64, tokens []string) map[string]bool {
		w := newWorld(t, unpaced)
		plan := connectemu.Plan{Seed: seed, Rules: []connectemu.Rule{{Fault: connectemu.Fail500, Probability: 0.5}}}
		if err := w.server.SetPlan(plan); err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, token := range tokens {
			_, err := w.start(answers, token)
			out[token] = err != nil
		}
		return out
	}
	tokens := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	reversed := strings.Split("zyxwvutsrqponmlkjihgfedcba", "")
	first := met(7, tokens)
	if second := met(7, reversed); !reflect.DeepEqual(first, second) {
		t.Errorf("one seed, two outcomes:\n%v\n%v", first, second)
	}
	if reflect.DeepEqual(first, met(8, tokens)) {
		t.Error("two seeds, one outcome")
	}
	hits := 0
	for _, hit := range first {
		if hit {
			hits++
		}
	}
	if hits < 6 || hits > 20 {
		t.Errorf("hits: got %d of 26 at p=0.5", hits)
	}
}
