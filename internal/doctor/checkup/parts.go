package checkup

import (
	"context"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/doctor"
)

// looked is what the looks at the deployed parts have brought so far.
type looked struct {
	d     doctor.Deployment
	seen  doctor.Seen
	blind []string // checks whose figure could not be read

	wrongName bool // there is no function of that name, so that nothing leads to it
	findings  []doctor.Finding
}

func (l *looked) add(f ...doctor.Finding) { l.findings = append(l.findings, f...) }

// parts looks at the deployed parts and holds them to the arithmetic.
func (s Subject) parts(ctx context.Context, instances []string) []doctor.Finding {
	l := &looked{d: doctor.Deployment{Ledger: s.Driver}}
	l.d.Function.Reserve = s.Reserve
	if s.Functions != nil {
		s.source(ctx, l)
		s.function(ctx, l)
		s.trigger(ctx, l)
	}
	if s.Events != nil {
		s.rule(ctx, l, instances)
		s.schedule(ctx, l)
	}
	if s.Tables != nil {
		s.table(ctx, l)
	}
	for _, f := range doctor.ArithmeticOf(l.d, l.seen) {
		if !slices.Contains(l.blind, f.Check) {
			l.add(f)
		}
	}
	return l.findings
}

func (s Subject) source(ctx context.Context, l *looked) {
	if s.Names.Queue == "" {
		return
	}
	q, err := s.Functions.Queue(ctx, s.Names.Queue)
	if err != nil {
		l.add(doctor.CouldNot("source", err))
		return
	}
	l.d.Source, l.seen.Source = q, true
	if q.DeadLetterARN == "" { // which the check receives reports
		l.add(doctor.JudgeSourceQueues(q, nil)...)
		return
	}
	dead, err := s.Functions.Queue(ctx, q.DeadLetterARN)
	if err != nil {
		l.add(doctor.CouldNot("source", err))
		l.add(doctor.JudgeSourceQueues(q, nil)...)
		return
	}
	l.d.DeadLetter, l.seen.DeadLetter = dead, true
	l.add(doctor.JudgeSourceQueues(q, &dead)...)
}

func (s Subject) function(ctx context.Context, l *looked) {
	if s.Names.Function == "" {
		return
	}
	f, err := s.Functions.Function(ctx, s.Names.Function)
	if err != nil {
		l.wrongName = doctor.IsAbsent(err)
		l.add(doctor.CouldNot("function", err))
		return
	}
	f.Reserve = s.Reserve
	l.seen.Function = true
	l.add(doctor.JudgeFunction(f))
	if !f.OnFailure {
		if f.OnFailure, err = s.Functions.OnFailure(ctx, s.Names.Function); err != nil {
			l.blind = append(l.blind, "on-failure")
			l.add(doctor.CouldNot("on-failure", err))
		}
	}
	l.d.Function = f
}

func (s Subject) trigger(ctx context.Context, l *looked) {
	if !l.seen.Source || s.Names.Function == "" || l.wrongName {
		return
	}
	t, err := s.Functions.Trigger(ctx, s.Names.Function, l.d.Source.ARN)
	if err != nil {
		l.add(doctor.CouldNot("trigger", err))
		return
	}
	l.d.Trigger, l.seen.Trigger = t, t.State != ""
	l.add(doctor.JudgeTrigger(l.d.Source.Name, s.Names.Function, t)...)
}

func (s Subject) rule(ctx context.Context, l *looked, instances []string) {
	if s.Names.Rule == "" {
		return
	}
	r, err := s.Events.Rule(ctx, s.Names.Bus, s.Names.Rule)
	if err != nil {
		l.add(doctor.CouldNot("contact-rule", err))
		return
	}
	all := l.seen.Function
	takers := []string{l.d.Function.ARN, l.d.Source.ARN}
	if r.Targets, err = s.Events.Targets(ctx, s.Names.Bus, s.Names.Rule); err != nil {
		all = false
		l.add(doctor.CouldNot("contact-target", err))
	}
	if all {
		var err error
		if takers, err = s.mapped(ctx, takers, r.Targets); err != nil {
			all = false
			l.add(doctor.CouldNot("contact-target", err))
		}
	}
	l.add(doctor.JudgeRule(r, instances, takers, all)...)
}

// mapped adds the queues among the targets that the function reads: contact events may have a queue of their own.
func (s Subject) mapped(ctx context.Context, takers, targets []string) ([]string, error) {
	for _, target := range targets {
		if !strings.Contains(target, ":sqs:") || slices.Contains(takers, target) {
			continue
		}
		t, err := s.Functions.Trigger(ctx, s.Names.Function, target)
		if err != nil {
			return takers, err
		}
		if t.State == "Enabled" {
			takers = append(takers, target)
		}
	}
	return takers, nil
}

func (s Subject) schedule(ctx context.Context, l *looked) {
	if s.Names.Schedule == "" {
		return
	}
	schedule, err := s.Events.Schedule(ctx, s.Names.ScheduleGroup, s.Names.Schedule)
	if err != nil {
		l.add(doctor.CouldNot("sweep-schedule", err))
		return
	}
	l.d.Sweep, l.seen.Sweep = schedule, true
	if l.seen.Function {
		l.add(doctor.JudgeSweepTarget(schedule, l.d.Function.ARN))
	}
}

func (s Subject) table(ctx context.Context, l *looked) {
	if s.Names.Table == "" {
		return
	}
	t, err := s.Tables.Table(ctx, s.Names.Table)
	if err != nil {
		l.add(doctor.NoTable(err))
		return
	}
	if t.PointInTime, err = s.Tables.Backups(ctx, s.Names.Table); err != nil {
		l.blind = append(l.blind, "table-backup")
		l.add(doctor.CouldNot("table-backup", err))
	}
	if t.TTLAttribute, err = s.Tables.TimeToLive(ctx, s.Names.Table); err != nil {
		l.blind = append(l.blind, "table-ttl", "memory")
		l.add(doctor.CouldNot("table-ttl", err))
	}
	l.d.Table, l.seen.Table = t, true
}
