package connectemu_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

func TestConfigurationsThatCannotWorkNameTheField(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]connectemu.Config{
		"Credentials is empty":       {Credentials: map[string]string{}},
		"Instances is empty":         {Instances: []string{}},
		"Instances has \"i\"":        {Instances: []string{"i"}},
		"Flows has \"arn:x\"":        {Flows: []string{"arn:x"}},
		"Queues has \"q\"":           {Queues: []string{"q"}},
		"SourceNumbers has ":         {SourceNumbers: []string{"12025550100"}},
		"DeniedPrefixes":             {DeniedPrefixes: []string{"44"}},
		"phone ************ is not":  {Phones: map[string]connectemu.Fate{"819000000001": 0}},
		"fate 99 is unknown":         {Phones: map[string]connectemu.Fate{answers: 99}},
		"Reading 2 is unknown":       {Reading: 2},
		"TokenScope 9":               {TokenScope: 9},
		"TokenSameOtherParams -1":    {TokenSameOtherParams: -1},
		"TokenOnRefusal 3":           {TokenOnRefusal: 3},
		"TokenOnThrottle 3":          {TokenOnThrottle: 3},
		"TokenValidity is negative":  {TokenValidity: connectemu.Off},
		"TokenLag is negative":       {TokenLag: -time.Second},
		"Retention is negative":      {Retention: -time.Second},
		"StartRate has a burst":      {StartRate: connectemu.Rate{PerSecond: 1}},
		"WireLog is over":            {WireLog: 1_000_001},
		"fault rule 1: slow has no ": {Faults: connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.Slow}}}},
	} {
		_, err := connectemu.New(config)
		if !errors.Is(err, connectemu.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestZeroConfigurationIsANewInstance(t *testing.T) {
	t.Parallel()
	server, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := server.Config()
	if c.Reading != connectemu.A1 || c.TokenValidity != 7*day || c.SignatureWindow != 5*time.Minute || c.MaxConcurrentCalls != 10 ||
		c.StartRate != (connectemu.Rate{PerSecond: 2, Burst: 5}) || c.SearchRate != (connectemu.Rate{PerSecond: 0.5, Burst: 1}) ||
		c.Retention != 730*day || c.Region != "us-east-1" || c.Credentials["test"] != "test" {
		t.Errorf("got %+v", c)
	}
}

func TestConfigurationIsNotSharedWithTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Config().Credentials["someone"] = "else"
	w.server.Config().Instances[0] = queueID
	if c := w.server.Config(); len(c.Credentials) != 1 || c.Instances[0] != connectemu.DefaultInstance {
		t.Errorf("got %+v", c)
	}
	if err := w.server.Update(func(c *connectemu.Config) { c.Clock, c.Seed, c.WireLog = nil, 99, 1 }); err != nil {
		t.Fatal(err)
	}
	if c := w.server.Config(); c.Clock != w.clock || c.Seed != 1 || c.WireLog != connectemu.DefaultWireLog {
		t.Errorf("what cannot be changed was changed: %+v", c)
	}
}

func TestReadingsAreParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]connectemu.Reading{"A1": connectemu.A1, "a1": connectemu.A1, "A1'": connectemu.A1Prime, "A1Prime": connectemu.A1Prime} {
		if got, err := connectemu.ParseReading(text); err != nil || got != want {
			t.Errorf("%s: got %v %v", text, got, err)
		}
	}
	if _, err := connectemu.ParseReading("A2"); err == nil || !strings.Contains(err.Error(), "A1, A1'") {
		t.Errorf("A2: got %v", err)
	}
	if got := connectemu.Reading(7).String(); got != "Reading(7)" {
		t.Errorf("got %s", got)
	}
}

func TestContactIDsAreDecidedByTheSeed(t *testing.T) {
	t.Parallel()
	ids := func(seed uint64) (list []string) {
		w := newWorld(t, func(c *connectemu.Config) { c.Seed = seed })
		for range 3 {
			list = append(list, w.mustStart(answers, ""))
		}
		return list
	}
	first, second, other := ids(1), ids(1), ids(2)
	for i := range first {
		if first[i] != second[i] || first[i] == other[i] || len(first[i]) != 36 {
			t.Errorf("id %d: %s, %s, %s", i, first[i], second[i], other[i])
		}
	}
}
