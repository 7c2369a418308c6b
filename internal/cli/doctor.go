package cli

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/awsaccount"
	"github.com/ringonce/ringonce/internal/doctor/checkup"
	"github.com/ringonce/ringonce/internal/doctor/localdisk"
	"github.com/ringonce/ringonce/internal/rules"
)

// doctorCommand looks at a set-up and says what is wrong with it. It only reads.
type doctorCommand struct {
	JSON          bool   `help:"Print one JSON object."`
	Region        string `placeholder:"REGION" help:"Region of the deployed parts; default: that of the table, AWS_REGION, or that of the first profile."`
	Instance      string `placeholder:"ID|ARN" help:"Look at this instance instead of those of the profiles."`
	QueueURL      string `placeholder:"URL" help:"Queue of the requests."`
	Function      string `placeholder:"NAME" help:"Lambda function."`
	Schedule      string `placeholder:"NAME" help:"EventBridge schedule of the sweep."`
	ScheduleGroup string `placeholder:"NAME" default:"default" help:"Group of the schedule."`
	Rule          string `placeholder:"NAME" help:"EventBridge rule of the contact events."`
	EventBus      string `placeholder:"NAME" default:"default" help:"Event bus of the rule."`
	Endpoint      string `placeholder:"URL" help:"Emulator of the AWS services beside Amazon Connect and DynamoDB; needs production: false."`

	Measure measureFlags `embed:""`
}

// Run implements the command.
func (x *doctorCommand) Run(ctx context.Context, e *environment) error {
	config, err := x.config(e)
	if err != nil {
		return err
	}
	if x.Measure.MeasureToken {
		if err := config.CheckEnvironment(e.surroundings()); err != nil {
			return err
		}
		return x.Measure.run(ctx, e, config, x.JSON)
	}
	if x.Measure != (measureFlags{}) {
		return misused("Flags of a measurement are given without --measure-token.", "Add it, or leave them out.")
	}
	subject, err := x.subject(ctx, e, config)
	if err != nil {
		return err
	}
	findings := checkup.Run(ctx, subject)
	if x.JSON {
		err = printJSON(e.Stdout, diagnosisOf(findings))
	} else {
		err = printFindings(e.Stdout, findings)
	}
	if err != nil {
		return err
	}
	return endWith(exitOfFindings(findings))
}

// config returns the configuration that is looked at. An environment that points elsewhere is a finding, not the end. A measurement rings, so it needs a configuration.
func (x *doctorCommand) config(e *environment) (*app.Config, error) {
	if e.hasConfig() || x.Measure.MeasureToken {
		return e.readConfig()
	}
	return e.standing()
}

// exitOfFindings: a fault is an act that would not be done as it is; what could not be looked at is the environment's.
func exitOfFindings(findings []doctor.Finding) int {
	if doctor.Worst(findings) == doctor.Fault {
		return ExitRefused
	}
	for _, f := range findings {
		if f.Level == doctor.Unknown {
			return ExitEnvironment
		}
	}
	return ExitOK
}

func (x *doctorCommand) subject(ctx context.Context, e *environment, c *app.Config) (checkup.Subject, error) {
	if err := c.CheckEndpoint("--endpoint", x.Endpoint); err != nil {
		return checkup.Subject{}, err
	}
	options := e.surroundings()
	options.Stores, options.Random, options.ReadOnly = e.Stores, e.Random, true
	s := checkup.Subject{
		Production: c.IsProduction(), Overrides: c.EndpointOverrides(options), Driver: c.DriverName(), Profiles: c.CallProfiles(),
		PerSecond: c.PacePerSecond(), SharedPace: c.SharesPace(), Reserve: c.Reserve(), Now: e.Clock.Now(), Numbering: numberingOf(c),
		Names: checkup.Names{
			Queue: x.QueueURL, Function: x.Function, ScheduleGroup: x.ScheduleGroup, Schedule: x.Schedule, Bus: x.EventBus, Rule: x.Rule, Table: c.Ledger.Table,
		},
	}
	if !e.hasConfig() { // the telephone of a service that nobody configured is inside of it
		s.Profiles = nil
	}
	if err := x.useInstance(&s); err != nil {
		return s, err
	}
	// Beside an emulator of Amazon Connect alone there is no account: nothing is sent to AWS unasked.
	atAWS := c.IsProduction() || x.Endpoint != ""
	if named := x.named(); named != "" && !atAWS {
		return s, misused(named+" is given, and the configuration is for an emulator of Amazon Connect alone.", "Add --endpoint for an emulator of AWS, or name the deployed configuration.")
	}
	clocks := &checkup.Clocks{}
	s.Clocks = clocks
	accounts := map[string]*awsaccount.Account{}
	account := func(region string) *awsaccount.Account {
		if accounts[region] == nil {
			accounts[region] = awsaccount.New(awsaccount.Options{
				Region: region, Credentials: e.credentials(c, x.Endpoint), Clock: e.Clock, HTTPClient: e.HTTP,
				Endpoint: x.Endpoint, ConnectEndpoint: c.Connect.Endpoint, TableEndpoint: c.Ledger.Endpoint,
			})
			clocks.Add(accounts[region])
		}
		return accounts[region]
	}
	s.Telephone = func(region string) checkup.Telephone { return account(region) }
	region := x.region(e, c, s)
	if atAWS {
		parts := account(region)
		s.Caller, s.Functions, s.Events, s.HasQuotas = parts, parts, parts, true
	}
	if c.Ledger.Table != "" && (c.IsProduction() || c.Ledger.Endpoint != "") {
		s.Tables = account(c.TableRegion(options))
	}
	x.ledger(ctx, &s, c, options)
	return s, nil
}

// numberingOf is what the verdicts about numbers rest on.
func numberingOf(c *app.Config) doctor.Numbering {
	plan := rules.PlanOf()
	return doctor.Numbering{
		Source: plan.Source, Version: plan.Version, Released: plan.Released, Prefixes: plan.Prefixes, Zones: plan.Zones,
		Any: len(c.Destinations.Allow)+len(c.Destinations.Deny) == 0, Beyond: c.Beyond(),
	}
}

// useInstance replaces the instances of the profiles by the one that was named.
func (x *doctorCommand) useInstance(s *checkup.Subject) error {
	if x.Instance == "" {
		return nil
	}
	id, region := x.Instance, ""
	if strings.HasPrefix(id, "arn:") {
		parts := strings.Split(id, ":")
		if len(parts) != 6 || parts[2] != "connect" || !strings.HasPrefix(parts[5], "instance/") {
			return misused("--instance is no ARN of an Amazon Connect instance.", "Write its id, or arn:aws:connect:REGION:ACCOUNT:instance/ID.")
		}
		id, region = strings.TrimPrefix(parts[5], "instance/"), parts[3]
	}
	for i := range s.Profiles {
		s.Profiles[i].InstanceID = id
		if region != "" {
			s.Profiles[i].Region = region
		}
	}
	return nil
}

// region returns where the deployed parts are.
func (x *doctorCommand) region(e *environment, c *app.Config, s checkup.Subject) string {
	environment, _ := e.LookupEnv("AWS_REGION")
	for _, region := range []string{x.Region, c.Ledger.Region, environment} {
		if region != "" {
			return region
		}
	}
	if len(s.Profiles) == 0 {
		return ""
	}
	return s.Profiles[0].Region
}

// named returns the first flag that names a deployed part; empty when none does.
func (x *doctorCommand) named() string {
	for _, flag := range [][2]string{{"--queue-url", x.QueueURL}, {"--function", x.Function}, {"--schedule", x.Schedule}, {"--rule", x.Rule}} {
		if flag[1] != "" {
			return flag[0]
		}
	}
	return ""
}

// credentials are those of the environment; beside emulators test credentials stand in.
func (e *environment) credentials(c *app.Config, endpoint string) aws.CredentialsProvider {
	emulated := !c.IsProduction() && (c.Connect.Endpoint != "" || endpoint != "")
	return e.surroundings().AWSCredentials(emulated)
}

func (x *doctorCommand) ledger(ctx context.Context, s *checkup.Subject, c *app.Config, options app.Options) {
	if s.Driver == "none" {
		return
	}
	name := c.Ledger.Path + c.Ledger.Table + c.Ledger.DSNFile + c.Ledger.DSNSecret // one of them is set
	s.LedgerName = name
	s.OpenLedger = func(ctx context.Context) (*checkup.Books, error) {
		store, naming, err := c.OpenLedger(ctx, options)
		if err != nil {
			return nil, err
		}
		books := &checkup.Books{
			Name: name, Naming: naming, Ledger: store.Ledger, Index: store.Index, Journal: store.Journal, WentBack: store.WentBack, Close: store.Close,
		}
		if cells := store.Cells; cells != nil {
			books.Holding = func(ctx context.Context) (doctor.Holding, error) {
				names, err := c.CellNames(ctx, options, naming)
				if err != nil {
					return doctor.Holding{}, err
				}
				return keptBy(ctx, name, cells, names)
			}
		}
		return books, nil
	}
	if c.Ledger.Path == "" {
		return
	}
	s.Disk = func() (doctor.Disk, error) {
		witness, err := c.WitnessPath(ctx, options)
		if err != nil {
			return doctor.Disk{}, err
		}
		disk, err := localdisk.Read(c.Ledger.Path, witness)
		if err != nil {
			return disk, err
		}
		disk.Spooled, err = c.Spooled()
		return disk, err
	}
}

// keptBy reads what keeps calls of a ledger.
func keptBy(ctx context.Context, name string, cells call.Cells, names rules.CellNames) (h doctor.Holding, err error) {
	h.Name = name
	if h.OtherKey, err = names.IsOther(ctx, cells); err != nil {
		return h, err
	}
	switches, err := rules.ReadSwitches(ctx, cells)
	for _, s := range switches.On {
		h.Paused = append(h.Paused, pausedOf(s, true, false).words())
	}
	return h, err
}
