package checkup

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
)

// Names are those of the deployed parts; an empty one is not looked at.
type Names struct {
	Queue         string // URL or ARN
	Function      string
	ScheduleGroup string
	Schedule      string
	Bus, Rule     string
	Table         string
}

// Subject is what is looked at.
type Subject struct {
	Production bool
	Overrides  []string // variables that send an SDK elsewhere
	Driver     string   // of the ledger: none, sqlite or dynamodb
	Profiles   []call.Profile
	PerSecond  float64       // pacing.per_second
	SharedPace bool          // pacing.shared
	Reserve    time.Duration // lambda.reserve
	Names      Names

	Caller    Caller                        // nil beside emulators
	Telephone func(region string) Telephone // required
	Functions Functions                     // nil when no part can be looked at
	Events    Events
	Tables    Tables
	HasQuotas bool // Service Quotas can be asked

	OpenLedger func(ctx context.Context) (*Books, error) // nil without a ledger
	Disk       func() (doctor.Disk, error)               // nil when the ledger is on no disk
	LedgerName string
	Clocks     *Clocks // nil when no clock is compared
	Now        time.Time
	Numbering  doctor.Numbering
}

// Books is an open ledger.
type Books struct {
	Name     string
	Naming   call.Naming // of the configuration
	Ledger   call.Ledger
	Index    call.Index
	Journal  call.Journal
	WentBack func(ctx context.Context) (reason string, err error) // nil where the ledger itself refuses to open
	Close    func() error
	Holding  func(ctx context.Context) (doctor.Holding, error) // nil where nothing keeps calls
}

// Run looks at everything and returns the findings in the order of the groups.
func Run(ctx context.Context, s Subject) []doctor.Finding {
	findings := s.account(ctx)
	instances, telephone := s.telephone(ctx)
	findings = append(findings, telephone...)
	parts := s.parts(ctx, instances)
	books, reading := s.books(ctx)
	findings = append(append(findings, parts...), books...)
	if s.Driver == "none" {
		findings = append(findings, doctor.NoLedger()...)
	}
	for _, p := range s.Profiles {
		findings = append(findings, doctor.JudgeResend(p.Name, p.WithDefaults().Resend, reading))
	}
	if s.Driver != "none" {
		findings = append(findings, doctor.JudgeSharedPace(s.Driver, s.SharedPace))
	}
	findings = append(findings, doctor.JudgeNumbering(s.Numbering, s.Now)...)
	if ahead, known := s.Clocks.first(); known {
		findings = append(findings, doctor.JudgeClock(ahead))
	}
	return findings
}

func (s Subject) account(ctx context.Context) []doctor.Finding {
	var findings []doctor.Finding
	if !s.Production {
		findings = append(findings, doctor.Finding{
			Check: "configuration", Level: doctor.Notice, What: "The configuration has production: false: emulators may stand for AWS.",
			Why: "What is found here says nothing about a set-up with real telephones.", Fix: "Look again with the configuration of production.",
		})
	} else {
		findings = append(findings, doctor.JudgeOverrides(s.Overrides))
	}
	if s.Caller == nil {
		return findings
	}
	arn, err := s.Caller.Caller(ctx)
	if err != nil {
		f := doctor.CouldNot("credentials", err)
		f.Level, f.Why = doctor.Fault, "Without credentials that AWS takes, nothing rings and nothing else can be looked at."
		f.Fix = "Give the process a role (docs/serve.md, Credentials), or set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for temporary ones, AWS_SESSION_TOKEN; " +
			"a clock that is wrong is refused too."
		return append(findings, f)
	}
	return append(findings, doctor.Finding{Check: "credentials", Level: doctor.OK, Subject: arn, What: "AWS knows the credentials."})
}
