package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// settleTime after the last delivery every call has come to its end: the send rule and the evidence schedule are over.
const settleTime = 10 * day

// Run plays the script and compares what rang with the ledger. The error is of the demo itself; whether the numbers hold is the
// verdict's word.
func Run(ctx context.Context, o Options) (v Verdict, err error) {
	if err := os.MkdirAll(filepath.Dir(ledgerPath(o.Dir)), 0o700); err != nil {
		return Verdict{}, fmt.Errorf("make the ledger's directory: %w", err)
	}
	if o.Keep {
		if err := writeConfig(o.Dir, o.Resend); err != nil {
			return Verdict{}, err
		}
		truth, failure := os.OpenFile(TruthPath(o.Dir), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if failure != nil {
			return Verdict{}, fmt.Errorf("make the truth log: %w", failure)
		}
		defer func() { err = errors.Join(err, truth.Close()) }()
		o.truth = truth
	}
	w, err := newWorld(ctx, o)
	if err != nil {
		return Verdict{}, err
	}
	defer func() {
		if closeErr := w.close(); err == nil {
			err = closeErr
		}
	}()
	o.Show.begin(w.subjects)
	if err := w.play(ctx); err != nil {
		return Verdict{}, err
	}
	if err := w.until(ctx, w.clock.Now().Add(settleTime)); err != nil {
		return Verdict{}, err
	}
	if v, err = w.verdict(ctx); err != nil {
		return Verdict{}, err
	}
	kept := ""
	if o.Keep {
		kept = ConfigPath(o.Dir)
	}
	o.Show.end(v, kept)
	return v, nil
}

// play delivers the 40 arrivals.
func (w *world) play(ctx context.Context) error {
	born := map[int]time.Time{}
	received := map[int]int{}
	forgotten := map[int]bool{} // deleted by its source before it was safe (ack-early)
	for i, a := range arrivals() {
		at := start.Add(a.at)
		if err := w.until(ctx, at); err != nil {
			return err
		}
		if born[a.subject].IsZero() {
			born[a.subject] = at
		}
		received[a.subject]++
		s := w.subjects[a.subject]
		if forgotten[a.subject] {
			w.options.Show.arrival(i, a, s, "never delivered: the source deleted it early")
			continue
		}
		document, err := w.letters.document(s, a.subject, a.form, born[a.subject], at, received[a.subject])
		if err != nil {
			return fmt.Errorf("write the document of arrival %d: %w", i+1, err)
		}
		note, acknowledged, err := w.deliver(ctx, document, a.crash)
		if err != nil {
			return fmt.Errorf("deliver arrival %d (%s): %w", i+1, label(s), err)
		}
		forgotten[a.subject] = w.options.Break == BreakAckEarly && !acknowledged
		w.options.Show.arrival(i, a, s, note)
		if v, err := w.verdict(ctx); err == nil {
			w.options.Show.table(v)
		}
	}
	return nil
}
