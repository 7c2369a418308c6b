package scenariotest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// deliver hands a document to the process and returns what became of its records. A process that was killed on the way answers nobody:
// there are no results then, and the next process is up.
func (w *world) deliver(document []byte) []lambda.Result {
	return w.deliverWithin(context.Background(), document)
}

func (w *world) deliverWithin(ctx context.Context, document []byte) []lambda.Result {
	w.Helper()
	report, _ := w.app.Handler.Process(ctx, document)
	if w.gate.killed() {
		w.restart(nil)
		return nil
	}
	return report.Results
}

// send delivers one request of a queue, and returns its outcome; zero when the process was killed.
func (w *world) send(request object) call.Outcome {
	return w.sendAs("m-"+fmt.Sprint(request["notificationId"]), request)
}

func (w *world) sendAs(id string, request object) call.Outcome {
	w.Helper()
	results := w.deliver(batch(message{id: id, body: request.text()}))
	if len(results) == 0 {
		return call.Outcome{}
	}
	return results[0].Outcome
}

// killedAt delivers one request to a process that dies at a point, which it must reach.
func (w *world) killedAt(point string, request object) {
	w.Helper()
	w.gate.mu.Lock()
	w.gate.kill = point
	w.gate.mu.Unlock()
	if out := w.send(request); out.Met != "" {
		w.Fatalf("the process was not killed %s, it answered %s", point, out.Met)
	}
}

// returned lists the ids that stay on the queue.
func returned(results []lambda.Result) (ids []string) {
	for _, r := range results {
		if !r.Acknowledged() {
			ids = append(ids, r.Record.Identity.Delivery)
		}
	}
	return ids
}

// sweep runs one sweep. One that is killed ends the process.
func (w *world) sweep() {
	w.Helper()
	err := w.sweepOnce()
	if w.gate.killed() {
		w.restart(nil)
		return
	}
	if err != nil {
		w.Error(err)
	}
}

func (w *world) sweepOnce() (err error) {
	defer func() {
		if p := recover(); p != nil {
			if killed, ok := p.(error); !ok || killed != errKilled { //nolint:errorlint // the value itself was thrown
				panic(p)
			}
		}
	}()
	_, err = w.app.Sweep(context.Background())
	return err
}

// sweepFor lets time pass with a sweeper that looks whenever a call is due.
func (w *world) sweepFor(d time.Duration) {
	w.Helper()
	end := time.Now().Add(d)
	for range 10_000 {
		ids, err := w.app.Store.Ledger.Due(context.Background(), end, 1)
		if err != nil {
			w.Fatal(err)
		}
		if len(ids) == 0 {
			time.Sleep(time.Until(end))
			w.sweep()
			return
		}
		row, err := w.app.Store.Ledger.Get(context.Background(), ids[0])
		if err != nil {
			w.Fatal(err)
		}
		time.Sleep(max(time.Until(row.DueAt()), time.Second))
		w.sweep()
	}
	w.Fatal("the sweep finds no end")
}

// key is the key of a request. The profiles that threeKinds adds are named after their kind.
func key(request object) call.Key {
	kind := call.KindVoice
	if name, ok := request["profile"].(string); ok && slices.Contains(call.Kinds(), call.Kind(name)) {
		kind = call.Kind(name)
	}
	k := call.Key{Kind: kind, NotificationID: fmt.Sprint(request["notificationId"]), RecipientID: fmt.Sprint(request["recipientId"])}
	if recall, ok := request["recallId"]; ok {
		k.RecallID = fmt.Sprint(recall)
	}
	return k
}

// row returns the row of a request's ring; a zero row when there is none.
func (w *world) row(request object, ring int) call.Call {
	c, err := w.app.Store.Ledger.Get(context.Background(), call.Naming{}.Row(key(request), ring))
	if err != nil {
		return call.Call{}
	}
	return c
}

// notes returns what the ledger keeps beside a request's call.
func (w *world) notes(request object) call.Notes {
	w.Helper()
	if err := w.app.Store.Admin.Flush(context.Background()); err != nil {
		w.Fatal(err)
	}
	notes, err := w.app.Store.Journal.Notes(context.Background(), w.row(request, 0).ID)
	if err != nil {
		w.Fatal(err)
	}
	return notes
}

// starts returns the wire requests that asked for a ring, or for a contact of another kind.
func (w *world) starts() (sent []connectemu.Request) {
	for _, r := range w.emu.Requests() {
		if r.Operation == connectemu.OpStart || r.Operation == connectemu.OpStartChat || r.Operation == connectemu.OpStartTask {
			sent = append(sent, r)
		}
	}
	return sent
}
