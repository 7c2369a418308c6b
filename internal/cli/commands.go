package cli

import (
	"context"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/sim"
)

// commands is the command line: the tags are its manual.
type commands struct {
	Config   string `placeholder:"FILE" help:"Configuration; default: the variable RINGONCE_CONFIG, which names a file or holds the text."`
	LogLevel string `placeholder:"LEVEL" help:"Level of the log on standard error: debug, info, warn or error."`

	Serve         serveCommand    `cmd:"" help:"Serve the API, poll the queues and sweep; without a configuration on a ledger of your own and with a telephone that rings nobody."`
	Demo          demoCommand     `cmd:"" help:"Play the demonstration: 14 keys in 40 deliveries, crashes and lost answers, every ring counted."`
	Token         tokenCommand    `cmd:"" help:"Print the client token of a call and how it is computed."`
	Apis          apisCommand     `cmd:"" help:"Print what is known of the idempotency tokens of AWS operations, and what to rely on."`
	Envelope      envelopeGroup   `cmd:"" help:"Read event documents without doing anything."`
	Emulator      emulatorCommand `cmd:"" help:"Serve an Amazon Connect that rings no phone and misbehaves on request."`
	LambdaInvoke  invokeCommand   `cmd:"" help:"Feed event files to the Lambda handler, sweep, and print what became of each record."`
	Replay        replayCommand   `cmd:"" help:"Preview events of a dead-letter queue, an archive or an export record by record, then place them."`
	LambdaRuntime runtimeCommand  `cmd:"" help:"Serve the Lambda Runtime API loop on any ledger, with a sweeper beside it."`
	Calls         callsGroup      `cmd:"" help:"Read the calls of the ledger or of a service, ring again, or forget a recipient."`
	Orders        ordersGroup     `cmd:"" help:"Orders for many calls that a service keeps: list them, confirm or refuse one as its second person."`
	Doubt         doubtGroup      `cmd:"" help:"Calls that may have rung and that nothing decides: list them, see the evidence, close them; also through a service."`
	Held          heldGroup       `cmd:"" help:"Calls that wait: list them with their reasons, let one or many ring now, or drop them; also through a service."`
	Pause         pauseCommand    `cmd:"" help:"Hold every call, or those of a profile, a producer or a prefix, until somebody resumes them; also through a service."`
	Resume        resumeCommand   `cmd:"" help:"Let paused calls go on; also through a service."`
	Dnc           dncGroup        `cmd:"" help:"Numbers that are never rung: put them on the do-not-call list, take them off, ask for one; also through a service."`
	Parked        parkedGroup     `cmd:"" help:"Records that could not be read: list them, feed them after a repair, or drop them."`
	Backup        backupCommand   `cmd:"" help:"Copy the ledger to a file while it is used."`
	Restore       restoreCommand  `cmd:"" help:"Put a backup in the place of the ledger; ledger recover comes next."`
	Ledger        ledgerGroup     `cmd:"" help:"Verify a ledger, audit it against what really rang, or recover one that was restored from a backup."`
	Access        accessGroup     `cmd:"" help:"Who may ask the service for calls: the API keys of producers."`
	Audit         auditGroup      `cmd:"" help:"The log of what operators and producers did: verify it, read it, export it."`
	Doctor        doctorCommand   `cmd:"" help:"Look at a live set-up, say what is wrong with it, why it matters and how to mend it."`
	Simulate      simulateCommand `cmd:"" help:"Live random lives in virtual time, with every fault there is, and count the rings."`
	Version       versionCommand  `cmd:"" help:"Print the version."`
}

const description = "One request, one ring: ringonce turns at-least-once events into phone calls with Amazon Connect that ring once.\n\n" +
	"Exit codes: 0 done, 1 environment or internal, 2 usage or configuration, 3 refused, 4 in doubt, 5 conflict."

// environment is what a command runs in.
type environment struct {
	Process
	commands *commands
}

// Run parses the arguments, runs the command and returns the exit code.
func (p Process) Run(ctx context.Context) int {
	err := p.run(ctx)
	complain(p.Stderr, err)
	return exitOf(err)
}

func (p Process) run(ctx context.Context) error {
	var grammar commands
	shown := false // help was printed
	parser, err := kong.New(&grammar,
		kong.Name("ringonce"), kong.Description(description), kong.Writers(p.Stdout, p.Stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 132}),
		kong.Vars{"emulator_instance": connectemu.DefaultInstance, "fault_kinds": strings.Join(sim.FaultKinds(), ", ")},
		kong.Exit(func(int) { shown = true }),
	)
	if err != nil {
		return err
	}
	if len(p.Args) == 0 {
		parser.Stdout = p.Stderr
		if _, err := parser.Parse([]string{"--help"}); !shown {
			return err
		}
		return ended(ExitUsage)
	}
	parsed, err := parser.Parse(idsLast(p.Args))
	if shown {
		return nil
	}
	if err != nil {
		return err
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(&environment{Process: p, commands: &grammar})
}
