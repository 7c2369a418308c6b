package sqspoll

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// recordTime is how long messages wait for their record: much shorter than they are invisible, and than a stop may take.
const recordTime = 2 * time.Second

// errRecordHangs says that a record did not end in its time; it may still be written.
var errRecordHangs = errors.New("the audit log does not answer")

// record writes down what was done, once for all of it, before any of it is deleted. What cannot be written down is told and leaves all the same: a call must not wait
// for the disk of a log, nor get into a dead-letter queue by it. While one record hangs no other one is begun.
func (p *Poller) record(ctx context.Context, items []*item) {
	var acts []auditlog.Act
	for _, it := range items {
		acts = append(acts, it.acts...)
	}
	if p.o.Record == nil || len(acts) == 0 {
		return
	}
	if err := p.recordInTime(ctx, acts); err != nil {
		p.tell(NotRecorded, len(acts), err)
	}
}

func (p *Poller) recordInTime(ctx context.Context, acts []auditlog.Act) error {
	select {
	case p.recording <- struct{}{}:
	default:
		return p.lost(ctx, acts)
	}
	ended := make(chan error, 1)
	go func() {
		err := p.o.Record(ctx, acts)
		<-p.recording
		ended <- err
	}()
	late, end := context.WithCancel(ctx)
	defer end()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = p.o.Clock.Sleep(late, recordTime)
	}()
	select {
	case err := <-ended:
		return err
	case <-over:
		return p.lost(ctx, acts)
	}
}

// lost tells of acts whose record did not end in time.
func (p *Poller) lost(ctx context.Context, acts []auditlog.Act) error {
	if p.o.Hangs != nil {
		p.o.Hangs(ctx, acts)
	}
	return errRecordHangs
}
