package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/ringonce/ringonce/internal/call"
)

// ring is one ring as the emulator's management API shows it.
type ring struct {
	ContactID  string            `json:"contactId"`
	Number     string            `json:"number"`
	Attributes map[string]string `json:"attributes"`
}

// readRings asks the emulator over HTTP, as a test in any language would.
func readRings(ctx context.Context, management string) ([]ring, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, management+"/rings", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for the rings: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for the rings: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		Rings []ring `json:"rings"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 16<<20)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("read the rings: %w", err)
	}
	return answer.Rings, nil
}

// Verdict compares what rang with what was asked for and with what the ledger says.
type Verdict struct {
	Rings    int
	Requests int // keys whose phone must ring
	Lost     int // of them: never rang, and the ledger does not say in doubt
	Doubled  int // rings beyond the first of a key
	Unwanted int // rings of a canceled key
	InDoubt  int
	Breaches []call.Breach
	Rows     []Line
	Doubts   []call.Call
}

// Line is a row of the table.
type Line struct {
	Subject string
	Story   string
	State   call.State
	Rings   int
	Wanted  int // rings that it must have
	Call    call.Call
}

// Holds reports whether one request rang once.
func (v Verdict) Holds() bool {
	return v.Lost == 0 && v.Doubled == 0 && v.Unwanted == 0 && len(v.Breaches) == 0 && v.Rings+v.InDoubt >= v.Requests
}

// Last returns the last line of the demo.
func (v Verdict) Last() string {
	return fmt.Sprintf("rings %d  requests %d  lost %d  doubled %d  in doubt %d", v.Rings, v.Requests, v.Lost, v.Doubled, v.InDoubt)
}

func (w *world) verdict(ctx context.Context) (Verdict, error) {
	rings, err := readRings(ctx, w.management)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Rings: len(rings)}
	truth := map[string][]string{}
	for _, r := range rings {
		id := r.Attributes["ringonceCallId"]
		truth[id] = append(truth[id], r.ContactID)
	}
	rows := map[string]call.Call{}
	var all []call.Call
	err = w.app.Store.Admin.Each(ctx, func(c call.Call, entries []call.Entry) error {
		rows[c.ID] = c
		all = append(all, c)
		v.Breaches = append(v.Breaches, call.CheckHistory(c, entries)...)
		return nil
	})
	if err != nil {
		return v, fmt.Errorf("read the ledger: %w", err)
	}
	v.Breaches = append(v.Breaches, call.CheckLedger(all, w.clock.Now(), sweepPeriod)...)
	v.Breaches = append(v.Breaches, call.CheckTruth(all, truth)...)
	for n, s := range w.subjects {
		c, rang := rows[w.rowID(s)], len(truth[w.rowID(s)])
		v.count(s, c, rang)
		v.Rows = append(v.Rows, Line{Subject: label(s), Story: w.subjects[n].story, State: c.State, Rings: rang, Wanted: s.rings, Call: c})
	}
	return v, nil
}

func (v *Verdict) count(s subject, c call.Call, rang int) {
	v.Requests += s.rings
	if c.State == call.InDoubt {
		v.InDoubt++
		v.Doubts = append(v.Doubts, c)
	}
	switch {
	case s.rings == 0:
		v.Unwanted += rang
	case rang == 0 && c.State != call.InDoubt:
		v.Lost++
	case rang > 1:
		v.Doubled += rang - 1
	}
}

func label(s subject) string {
	if s.recall != "" {
		return s.name + " / " + s.recall
	}
	return s.name
}
