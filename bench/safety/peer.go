package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/ringonce/ringonce/connectemu"
)

//go:embed peer
var peerFiles embed.FS

// peerName is the peer's package; its version is pinned in peer/package.json.
const peerName = "@aws-lambda-powertools/idempotency"

// option is a setting of the peer that decides a starred scenario, beside the default of its manual.
type option struct {
	name  string
	value map[string]any
}

// alternatives are the options by scenario.
func alternatives() map[string][]option {
	validation := option{"payloadValidationJmesPath: destinationPhoneNumber", map[string]any{"payloadValidationJmesPath": "destinationPhoneNumber"}}
	return map[string][]option{
		"S1":  {{"throwOnNoIdempotencyKey: true", map[string]any{"throwOnNoIdempotencyKey": true}}, validation},
		"S2":  {{"the producer writes the ids as strings", map[string]any{"strings": true}}, validation},
		"S7":  {{"as Middy middleware instead of the function wrapper", map[string]any{"api": "middy"}}},
		"S8":  {{"processInParallel: false", map[string]any{"parallel": false}}},
		"S9":  {{"the key is taken from the body", map[string]any{"eventKeyJmesPath": "powertools_json(body).[notificationId, recipientId]"}}},
		"S11": {{"the handler catches the error and returns it", map[string]any{"returnUnknown": true}}},
	}
}

// peerRun is one run, as peer/main.mjs reads it.
type peerRun struct {
	Name     string         `json:"name"`
	Scenario string         `json:"scenario,omitempty"`
	Table    string         `json:"table"`
	Token    bool           `json:"token,omitempty"` // the handler passes a derived client token to the telephone
	Settings map[string]any `json:"settings,omitempty"`
	Numbers  []string       `json:"numbers"`

	scenario scenario
	setting  string
	into     func(*line, measure)
}

func peerRuns(lines []*line) []peerRun {
	var b book
	var runs []peerRun
	add := func(s scenario, setting string, token bool, settings map[string]any, into func(*line, measure)) {
		name := fmt.Sprintf("%s-%d", s.id, len(runs))
		runs = append(runs, peerRun{name, s.id, "idempotency-" + name, token, settings, b.take(s.numbers), s, setting, into})
	}
	for _, l := range lines {
		add(l.scenario, "", false, nil, func(l *line, m measure) { l.Peer = &m })
		add(l.scenario, "", true, nil, func(l *line, m measure) { l.PeerToken = &m })
		for _, o := range alternatives()[l.scenario.id] {
			add(l.scenario, o.name, false, o.value, func(l *line, m measure) { l.PeerOptions = append(l.PeerOptions, m) })
		}
	}
	return runs
}

// measurePeer runs every scenario against the peer, in one process of Node, and fills the lines.
func measurePeer(ctx context.Context, lines []*line) (err error) {
	dir, err := installPeer(ctx)
	if err != nil {
		return err
	}
	runs := peerRuns(lines)
	s, err := serve(ctx, connectemu.Config{
		SignatureWindow: connectemu.Off, // the peer's clock is moved and the telephone's is not
		StartRate:       connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, Faults: unknownOutcomes(runs),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	warm := peerRun{Name: "warm-up", Table: "idempotency-warm-up", Numbers: []string{"+819000000900"}}
	s.store.Create(warm.Table, "id")
	for _, r := range runs {
		s.store.Create(r.Table, "id")
	}
	told, err := askPeer(ctx, dir, map[string]any{
		"store": s.storeURL, "telephone": s.telephoneURL, "control": s.controlURL, "runs": runs, "warmUp": warm, "dialTime": dialTime.Milliseconds(),
	})
	if err != nil {
		return err
	}
	for i, r := range runs {
		if i >= len(told) || told[i].Name != r.Name {
			return fmt.Errorf("the peer did not answer for %s", r.Name)
		}
		m := r.scenario.judge(measure{Setting: r.setting, Rings: s.rings(r.Numbers), Told: told[i].Told})
		for _, l := range lines {
			if l.scenario.id == r.Scenario {
				r.into(l, m)
			}
		}
	}
	return nil
}

// unknownOutcomes resets each connection over which a number of S11 was rung.
func unknownOutcomes(runs []peerRun) connectemu.Plan {
	var plan connectemu.Plan
	for _, r := range runs {
		if r.Scenario == "S11" {
			plan.Rules = append(plan.Rules, connectemu.Rule{Fault: connectemu.PlaceThenReset, Number: r.Numbers[0]})
		}
	}
	return plan
}

type peerAnswer struct {
	Name string     `json:"name"`
	Told []delivery `json:"told"`
}

// askPeer runs the scripts with the order on standard input.
func askPeer(ctx context.Context, dir string, order map[string]any) ([]peerAnswer, error) {
	input, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "node", "main.mjs")
	command.Dir = filepath.Join(dir, "peer")
	var out, complaints bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &complaints
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("run the peer: %w\n%s", err, complaints.String())
	}
	var told []peerAnswer
	for decoder := json.NewDecoder(&out); ; {
		var a peerAnswer
		switch err := decoder.Decode(&a); {
		case errors.Is(err, io.EOF):
			return told, nil
		case err != nil:
			return nil, fmt.Errorf("read what the peer told: %w", err)
		}
		told = append(told, a)
	}
}

// peerVersion is the pinned version.
func peerVersion() (string, error) {
	text, err := peerFiles.ReadFile("peer/package.json")
	if err != nil {
		return "", err
	}
	var manifest struct{ Dependencies map[string]string }
	err = json.Unmarshal(text, &manifest)
	return manifest.Dependencies[peerName], err
}
