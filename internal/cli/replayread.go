package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
	"github.com/ringonce/ringonce/internal/replay"
)

// read finds the documents and takes their records into the plan.
func (r *replaying) read(ctx context.Context) error {
	if r.Queue != "" {
		return r.receive(ctx)
	}
	stdin := r.e.Stdin
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	found, err := replay.Files(r.Paths, stopping{ctx, stdin}, func(d replay.Document) error {
		r.plan.Add(d, r.e.Clock.Now(), r.filter)
		return ctx.Err()
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed("The events cannot be read: "+err.Error()+".", "Name existing files that you may read.")
	}
	if found.Links > 0 {
		r.note("%s in the folders %s not followed.", plural(found.Links, "symbolic link or special file", "symbolic links or special files"), wasWere(found.Links))
	}
	return nil
}

// receive takes the messages of the queue into the plan. They are held until the replay ends.
func (r *replaying) receive(ctx context.Context) error {
	access := r.app.Config.QueueAccess(r.e.surroundings())
	queue, err := sqsqueue.Open(ctx, sqsqueue.Options{
		URL: r.Queue, Region: access.Region, Endpoint: access.Endpoint, Credentials: access.Credentials, Clock: r.e.Clock,
	})
	if err != nil {
		return err
	}
	r.queue = &heldQueue{Queue: queue}
	err = queue.Receive(ctx, r.MaxMessages, func(m sqsqueue.Message) error {
		r.plan.Add(replay.Document{Name: m.ID, Content: m.Document, Message: m.ID}, r.e.Clock.Now(), r.filter)
		return nil
	})
	if err != nil {
		return err
	}
	r.noteQueue(queue)
	return nil
}

// noteQueue says what a person should know about looking at this queue.
func (r *replaying) noteQueue(queue *sqsqueue.Queue) {
	if n := queue.Held(); n > 0 {
		r.note("%s received, which raised the receive count of each by one.", plural(n, "message was", "messages were"))
	}
	if queue.Held() >= r.MaxMessages {
		r.note("The queue may hold more than --max-messages %d.", r.MaxMessages)
	}
	if queue.MaxReceives > 0 {
		r.note("This queue has a redrive policy of its own: a message is moved on after %d receives, and every look counts.", queue.MaxReceives)
	}
	if strings.HasSuffix(queue.ARN, ".fifo") {
		r.note("A FIFO queue shows at most ten messages of a group at a time; run again for those behind them.")
	}
	strangers := 0
	for _, e := range r.plan.Entries {
		if e.Record.DeadLetterOf == "" {
			strangers++
		}
	}
	if strangers > 0 && r.SourceARN == "" && r.app.Config.KeySpaceMissing(queue.ARN) {
		r.note("The queue that %s sent to is not known, so the unnamed key space counts; --source-arn names it.", plural(strangers, "message was", "messages were"))
	}
}

func (r *replaying) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// heldQueue is the queue as the source of a replay.
type heldQueue struct {
	*sqsqueue.Queue
	err error // the first renewal that failed
}

// Holds implements replay.Source.
func (q *heldQueue) Holds(ctx context.Context, e *replay.Entry) bool {
	if err := q.Renew(ctx); err != nil && q.err == nil {
		q.err = err
	}
	return q.Queue.Holds(e.Message)
}

// Answered implements replay.Source: a message is deleted only when the table of acknowledgements says that its source may forget it.
func (q *heldQueue) Answered(ctx context.Context, e *replay.Entry) error {
	if e.Outcome.Ack != call.AckDone {
		return nil
	}
	return q.Delete(ctx, e.Message)
}

// releaseTime bounds how long the end of a replay waits for its queue.
const releaseTime = time.Minute

// release returns what is still held, also after an interrupt.
func (r *replaying) release(ctx context.Context) error {
	if r.queue == nil || r.queue.Held() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	n := r.queue.Held()
	if err := r.queue.Release(ctx); err != nil {
		return failed(fmt.Sprintf("%s not returned to the queue.", plural(n, "message was", "messages were")), fmt.Sprintf("They come back by themselves within %s.", lasted(sqsqueue.DefaultVisibility)))
	}
	return nil
}

// stopping is a reader that ends with a context, between two reads.
type stopping struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, errors.Join(err)
	}
	return s.Reader.Read(p)
}
