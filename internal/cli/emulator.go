package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
)

// emulatorCommand serves the emulator until it is interrupted.
type emulatorCommand struct {
	Addr             string        `placeholder:"HOST:PORT" help:"Address of the Connect API; default 127.0.0.1:7465, port 0 is any free one."`
	Management       string        `placeholder:"HOST:PORT" help:"Address of the management handler; default 127.0.0.1:7466."`
	AllowNonLoopback bool          `help:"Permit addresses that other machines can reach; nobody is asked for credentials there."`
	Region           string        `placeholder:"REGION" help:"Region that requests must be signed for; default us-east-1."`
	Instance         []string      `placeholder:"GUID" help:"Instance that exists, repeatable; default ${emulator_instance}."`
	Reading          string        `default:"A1" placeholder:"A1|A1'" help:"Whether a token outlives its contact (A1, today's text) or not (A1')."`
	SignatureWindow  string        `default:"5m" placeholder:"5m|15m|off" help:"How old or new a signature may be."`
	Seed             uint64        `placeholder:"N" help:"Seed of the emulator's chance."`
	Plan             string        `placeholder:"TEXT" help:"Faults, for example: place-then-reset nth=1; throttle p=0.25 times=3."`
	Rate             string        `placeholder:"N/BURST|off" help:"Limit of StartOutboundVoiceContact; default 2/5, the quota of a new account."`
	Concurrent       string        `placeholder:"N|off" help:"Calls of an instance that may be alive at once; default 10."`
	SameToken        string        `default:"return-existing" placeholder:"WORD" help:"A live token with other parameters: return-existing or error."`
	TokenOnRefusal   string        `default:"untouched" placeholder:"WORD" help:"What a refused start does to its token: untouched, ages or spent."`
	TokenOnThrottle  string        `default:"untouched" placeholder:"WORD" help:"What a throttled start does to its token: untouched, ages or spent."`
	TokenOnFailure   string        `default:"untouched" placeholder:"WORD" help:"What a start that the service failed does to its token: untouched, ages or spent."`
	TokenRefreshes   bool          `help:"Let a token's 7 days run from its last use, and not from its first."`
	OverQuota        string        `default:"refuse" placeholder:"WORD" help:"A start beyond --concurrent: refuse, or fast-busy (placed, and it rings)."`
	ThrottleCode     string        `placeholder:"NAME" help:"Error name of a start that is too fast; default TooManyRequestsException."`
	SearchCompleted  bool          `help:"Hide contacts from SearchContacts until they have ended."`
	SearchDelay      time.Duration `placeholder:"DURATION" help:"How late SearchContacts shows a contact."`
	Searchable       []string      `placeholder:"NAME" help:"Attribute that SearchContacts knows, repeatable; without it, none."`
	Retention        time.Duration `placeholder:"DURATION" help:"How long a contact is known; default 24 months."`
	Phone            []string      `placeholder:"NUMBER=FATE" help:"Fate of a number, repeatable, such as +819000000001=busy; others go by their last two digits."`
	FlowFunction     string        `placeholder:"URL" help:"Function that flows invoke when somebody picks up and for each key (docs/flow.md); http:// on this machine."`
	Keys             []string      `placeholder:"NUMBER=KEYS" help:"Keys that are pressed on a phone after the message, repeatable, such as +819000000001=1 (1 confirms, 9 opts out)."`
	EventsTo         []string      `placeholder:"URL" help:"Target of contact events, repeatable: http://, sqs+http:// (queue URL) or events+http:// (bus)."`
	EventReasons     string        `default:"always" placeholder:"WORD" help:"Events with a disconnect reason: always or campaigns."`
	RingTime         time.Duration `placeholder:"DURATION" help:"How long a phone rings before it is answered; default 8s."`
	TalkTime         time.Duration `placeholder:"DURATION" help:"How long an answered call lasts; default 30s."`
	TruthLog         string        `placeholder:"FILE" help:"Write what really rang, line by line and hash-chained, for ringonce ledger audit. The file must be new."`
}

// Run implements the command.
func (x *emulatorCommand) Run(ctx context.Context, e *environment) (err error) {
	config, err := x.config(e)
	if err != nil {
		return err
	}
	if x.TruthLog != "" {
		truth, failure := openTruthLog(x.TruthLog)
		if failure != nil {
			return failure
		}
		defer func() { err = errors.Join(err, truth.Close()) }()
		config.TruthLog = truth
	}
	return x.serve(ctx, e, config)
}

// openTruthLog makes the file: a log that goes on from another run would be none of one run.
func openTruthLog(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, misused("The file of --truth-log exists.", "Name a new one: a log is of one run.")
	}
	if err != nil {
		return nil, failed(fmt.Sprintf("The file of --truth-log cannot be made: %v.", errors.Unwrap(err)), "Name a file in a directory that exists.")
	}
	return file, nil
}

func (x *emulatorCommand) serve(ctx context.Context, e *environment, config connectemu.Config) error {
	err := connectemu.Serve(ctx, connectemu.Options{
		Addr: x.Addr, ManagementAddr: x.Management, AllowNonLoopback: x.AllowNonLoopback, Config: config,
		Ready: func(api, management net.Addr) { e.announce(config, api, management) },
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, connectemu.ErrPortInUse):
		return failed(x.asFlags(err), "")
	case errors.Is(err, connectemu.ErrConfig):
		return misused(x.asFlags(err), "")
	}
	return failed(x.asFlags(err), "Choose another address with --addr and --management.")
}

func (x *emulatorCommand) config(e *environment) (connectemu.Config, error) {
	config := connectemu.Config{
		Region: x.Region, Instances: x.Instance, Seed: x.Seed, RingTime: x.RingTime, TalkTime: x.TalkTime, Retention: x.Retention,
		SearchDelay: x.SearchDelay, SearchSeesOnlyCompleted: x.SearchCompleted, SearchableAttributes: x.Searchable,
		TokenRefreshes: x.TokenRefreshes, ThrottleCode: x.ThrottleCode,
		Logger: e.log(app.Log{Format: "text"}, true), Clock: connectemu.NewRunningClock(),
	}
	words := []struct {
		flag string
		to   interface{ UnmarshalText(text []byte) error }
		text string
	}{
		{"--reading", &config.Reading, strings.ReplaceAll(x.Reading, "’", "'")},
		{"--same-token", &config.TokenSameOtherParams, x.SameToken},
		{"--token-on-refusal", &config.TokenOnRefusal, x.TokenOnRefusal},
		{"--token-on-throttle", &config.TokenOnThrottle, x.TokenOnThrottle},
		{"--token-on-failure", &config.TokenOnFailure, x.TokenOnFailure},
		{"--over-quota", &config.OverQuota, x.OverQuota},
		{"--event-reasons", &config.EventReasons, x.EventReasons},
	}
	for _, word := range words {
		if err := word.to.UnmarshalText([]byte(word.text)); err != nil {
			return config, misused(word.flag+" is not usable: "+bare(err), "")
		}
	}
	var err error
	if config.Phones, err = phones(x.Phone); err != nil {
		return config, misused("--phone is not usable: "+bare(err), "Write it as +819000000001=busy.")
	}
	if config.Keys, err = x.keys(); err != nil {
		return config, misused("--keys is not usable: "+bare(err), "Write it as +819000000001=1.")
	}
	if config.FlowFunction, err = x.flowFunction(); err != nil {
		return config, misused("--flow-function is not usable: "+bare(err), "")
	}
	if config.EventSink, err = x.eventSink(e); err != nil {
		return config, misused("--events-to is not usable: "+bare(err), "")
	}
	if config.Faults, err = connectemu.ParsePlan(x.Plan); err != nil {
		return config, misused("--plan is not usable: "+bare(err), "")
	}
	if config.SignatureWindow, err = offOrDuration(x.SignatureWindow); err != nil {
		return config, misused("--signature-window is no duration.", "Use 5m, 15m or off.")
	}
	if config.StartRate, err = rate(x.Rate); err != nil {
		return config, misused("--rate is not usable.", "Write it as 2/5, which is 2 a second with a burst of 5, or off.")
	}
	switch n, err := strconv.Atoi(x.Concurrent); {
	case x.Concurrent == "off":
		config.MaxConcurrentCalls = connectemu.Off
	case x.Concurrent != "" && (err != nil || n < 1):
		return config, misused("--concurrent is no positive number.", "Write a number, or off.")
	default:
		config.MaxConcurrentCalls = n
	}
	return config, nil
}

// bare takes off an error what only its package's callers need.
func bare(err error) string {
	return strings.NewReplacer("connectemu: ", "", "configuration refused: ", "", "set AllowNonLoopback", "add --allow-non-loopback", "port in use: ", "").Replace(err.Error())
}

// asFlags names flags where the emulator's error names fields of its configuration.
func (x *emulatorCommand) asFlags(err error) string {
	return strings.NewReplacer(
		"ManagementAddr ", "--management ", "Addr ", "--addr ", "Instances ", "--instance ", "ThrottleCode ", "--throttle-code ", "Retention ", "--retention ", "set AllowNonLoopback", "add --allow-non-loopback",
	).Replace(bare(err))
}

// announce tells where the emulator is and how to use it.
func (e *environment) announce(config connectemu.Config, api, management net.Addr) {
	region, instance := config.Region, connectemu.DefaultInstance
	if region == "" {
		region = connectemu.DefaultRegion
	}
	if len(config.Instances) > 0 {
		instance = config.Instances[0]
	}
	_, err := fmt.Fprintf(e.Stdout, `Amazon Connect, emulated: no phone rings
  api         http://%[1]s
  management  http://%[2]s
  page        http://%[2]s/
  reading     %[3]s
  faults      %[4]s

Point an SDK at it:
  AWS_ACCESS_KEY_ID=%[7]s AWS_SECRET_ACCESS_KEY=%[8]s AWS_REGION=%[5]s aws connect start-outbound-voice-contact \
    --endpoint-url http://%[1]s --instance-id %[6]s --contact-flow-id %[9]s \
    --source-phone-number +12025550100 --destination-phone-number +819000000001 --client-token notification-1
Or ringonce, in its configuration:
  production: false
  connect:
    endpoint: http://%[1]s
See what rang, and let 8 days pass (clients that sign with the true time need --signature-window off then):
  curl http://%[2]s/rings
  curl -d '{"advance":"192h"}' http://%[2]s/clock
`, api, management, config.Reading, dash(config.Faults.String()), region, instance, connectemu.DefaultAccessKey, connectemu.DefaultSecretKey, connectemu.DefaultFlow)
	if err != nil {
		config.Logger.Error("announce", slog.Any("error", err))
	}
}
