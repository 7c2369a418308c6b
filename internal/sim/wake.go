package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/wake/awsscheduler"
)

// wake delivers the hints that have arrived, in one batch. With words it is a forger: "wake n1 n2#1 due=-1h" delivers hints that nobody gave, for
// rows that exist and for others; "due=row" is the row's own due.
func wake(ctx context.Context, w *World, a Act) error {
	k, err := w.worker(a.value("to"))
	if err != nil {
		return err
	}
	var batch []*onItsWay
	for _, name := range a.Words {
		forged, err := w.forge(name, a.value("due"))
		if err != nil {
			return err
		}
		if w.hints.fits(batch, forged) {
			batch = append(batch, forged)
		}
	}
	if len(a.Words) == 0 {
		batch = w.hints.take()
	}
	if len(batch) > 0 {
		ctx, end := deadline(ctx, w, a)
		defer end()
		w.answerHints(ctx, k, batch)
	}
	return nil
}

// forge makes a hint that nobody gave.
func (w *World) forge(name, due string) (*onItsWay, error) {
	first, ring, _ := strings.Cut(name, "#")
	n := 0
	if ring != "" {
		var err error
		if n, err = strconv.Atoi(ring); err != nil {
			return nil, fmt.Errorf("which ring: %w", err)
		}
	}
	o := &onItsWay{row: call.Naming{}.Row((&subject{name: first}).key(), n), due: time.Now().UTC()}
	w.mark("hint forged")
	switch due {
	case "", "now":
	case "row":
		if c, known := w.row(o.row); known {
			o.due = c.DueAt()
		}
	default:
		d, err := parseSpan(due)
		if err != nil {
			return nil, fmt.Errorf("due: %w", err)
		}
		o.due = o.due.Add(d)
	}
	return o, nil
}

// mostReceives is how often a hint that is not acknowledged comes again.
const mostReceives = 3

func (w *World) answerHints(ctx context.Context, k *worker, batch []*onItsWay) {
	document := make([]string, len(batch))
	for i, o := range batch {
		document[i] = w.hintRecord(o)
		w.hints.answered[o.row] = o.due
	}
	defer clear(w.hints.answered)
	returned := batch
	w.survive(k, func() {
		if k.dead.Load() {
			return
		}
		report, err := k.app.Handler.Process(ctx, []byte(`{"Records":[`+strings.Join(document, ",")+`]}`))
		switch {
		case k.dead.Load():
			return
		case err != nil || len(report.Results) != len(batch):
			w.find("%d hints came back as %d results: %v", len(batch), len(report.Results), err)
			return
		}
		returned = slices.Clone(batch[:0:0])
		for i, result := range report.Results {
			out := result.Outcome
			w.trace.add(k.name, "hint "+string(out.Met)+" "+string(out.Code), w.nameOf(batch[i].row))
			if out.Met != call.MetIgnored && out.Met != call.MetUnavailable && out.Met != call.MetNotStarted {
				w.find("a hint met %s", out.Met)
			}
			if !result.Acknowledged() {
				returned = append(returned, batch[i])
			}
		}
	})
	w.hints.back(returned)
}

// back lets hints that were not acknowledged come again.
func (h *Hints) back(returned []*onItsWay) {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	for _, o := range returned {
		if o.received++; o.received < mostReceives {
			o.at = time.Now().Add(30 * time.Second)
			h.way = append(h.way, o)
		}
	}
}

// hintRecord is the message of a hint's queue.
func (w *World) hintRecord(o *onItsWay) string {
	body, err := awsscheduler.Document(o.row, o.due)
	if err != nil {
		w.find("write a hint: %v", err)
	}
	w.ids++
	at := time.Now().UnixMilli()
	return fmt.Sprintf(`{"messageId":"00000000-0000-4000-a000-%012d","receiptHandle":"EXAMPLE","body":%q,"messageAttributes":{},"eventSource":"aws:sqs",`+
		`"eventSourceARN":"arn:aws:sqs:%s:%s:wake","awsRegion":%q,"attributes":{"ApproximateReceiveCount":"%d","SentTimestamp":"%d",`+
		`"SenderId":"AIDAEXAMPLE","ApproximateFirstReceiveTimestamp":"%d"}}`, w.ids, body, region, account, region, o.received+1, at, at)
}
