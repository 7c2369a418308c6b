package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/replay"
)

// replayCommand brings recorded events back (docs/replay.md).
type replayCommand struct {
	Queue       string   `placeholder:"URL" help:"Receive from this SQS queue, as a rule a dead-letter queue, instead of reading files."`
	SourceARN   string   `name:"source-arn" placeholder:"ARN" help:"The queue, topic or rule that the events were sent to: it decides their key space. Default: what each record says."`
	MaxMessages int      `name:"max-messages" default:"10000" placeholder:"N" help:"Receive at most so many messages. Default: 10000."`
	Since       string   `placeholder:"TIME" help:"Only requests made at this time or later; those without any time are left out."`
	Until       string   `placeholder:"TIME" help:"Only requests made before this time."`
	Only        []string `placeholder:"VERDICT,..." help:"Only records with these verdicts, for example would-ring."`
	DryRun      bool     `name:"dry-run" help:"Say what would happen, and do nothing."`
	Yes         bool     `help:"Ring without asking."`
	All         bool     `help:"Print a line for every record, however many there are."`
	JSON        bool     `help:"Print one JSON object a record."`
	Paths       []string `arg:"" optional:"" name:"path" help:"Files of event documents, folders of them, or - for the standard input."`

	filter replay.Filter
	only   []call.Verdict
}

// replaying is a replay under way.
type replaying struct {
	*replayCommand
	e     *environment
	app   *app.App
	plan  *replay.Plan
	queue *heldQueue // nil for files
	notes []string   // what a person should know beside the records
}

// Run implements the command.
func (x *replayCommand) Run(ctx context.Context, e *environment) (err error) {
	if err := x.check(); err != nil {
		return err
	}
	config, err := e.config()
	if err != nil {
		return err
	}
	if err := ledgerExists(config); err != nil { // with a new ledger everything would ring
		return err
	}
	a, err := e.open(ctx, opening{readOnly: x.DryRun})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	r := &replaying{
		replayCommand: x, e: e, app: a,
		plan: &replay.Plan{Numberless: a.Config.Numberless(), Mapping: mappingOf(a.Config, x.SourceARN)},
	}
	defer func() { err = errors.Join(err, r.release(ctx)) }()
	if err := r.read(ctx); err != nil {
		return err
	}
	if err := r.preview(ctx); err != nil {
		return err
	}
	if x.DryRun || !x.JSON {
		if err := r.printPlan(); err != nil || x.DryRun {
			return err
		}
	}
	if err := r.confirm(); err != nil {
		return err
	}
	d := deed{action: "replay", actor: e.actorOf(""), target: x.source(), reason: plural(r.plan.Dials(), "phone call", "phone calls") + " in the plan", guarded: true}
	return e.did(ctx, config, d, func() error { return r.run(ctx) })
}

// source names what is replayed in the audit log.
func (x *replayCommand) source() string {
	if x.Queue != "" {
		return "queue:" + x.Queue[strings.LastIndexByte(x.Queue, '/')+1:]
	}
	return "files"
}

// check refuses arguments that make no sense together.
func (x *replayCommand) check() error {
	switch {
	case x.Queue == "" && len(x.Paths) == 0:
		return misused("There is nothing to replay.", "Name files or folders, or a queue with --queue.")
	case x.Queue != "" && len(x.Paths) > 0:
		return misused("--queue and files cannot be replayed together.", "Run the command once for each.")
	case x.MaxMessages <= 0:
		return misused("--max-messages is no positive number.", "Leave it out for 10000.")
	case x.DryRun && x.Yes:
		return misused("--dry-run and --yes contradict each other.", "Leave one of them out.")
	}
	for _, limit := range []struct {
		flag, value string
		to          *time.Time
	}{{"--since", x.Since, &x.filter.Since}, {"--until", x.Until, &x.filter.Until}} {
		if limit.value == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, limit.value)
		if err != nil {
			return misused(limit.flag+" is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
		*limit.to = at
	}
	for _, name := range x.Only {
		if !slices.Contains(replay.Verdicts(), call.Verdict(name)) {
			return misused(fmt.Sprintf("--only has the unknown verdict %q.", name), fmt.Sprintf("Use some of: %s.", verdictNames()))
		}
		x.only = append(x.only, call.Verdict(name))
	}
	return nil
}

// preview previews the records, and those that are left after --only once more, since a record can depend on one that is left out.
func (r *replaying) preview(ctx context.Context) error {
	if err := r.plan.Preview(ctx, r.rehearse()); err != nil || len(r.only) == 0 {
		return err
	}
	r.plan.Keep(r.only)
	return r.plan.Preview(ctx, r.rehearse())
}

// mappingOf returns the mappings of a configuration. A producer's ARN takes the place of the one that a record names; empty leaves it.
func mappingOf(c *app.Config, producerARN string) func(call.Source, string) *envelope.Mapping {
	mapping := c.Mapping()
	if mapping == nil || producerARN == "" {
		return mapping
	}
	return func(source call.Source, _ string) *envelope.Mapping { return mapping(source, producerARN) }
}
