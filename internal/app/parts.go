package app

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
	"github.com/ringonce/ringonce/internal/ledger/spool"
)

// Commands that look at a set-up, or measure one, need parts of an App and not the whole: what they look for may be the very thing that
// keeps the whole from being built.

// CallProfiles returns every profile as the core uses it, in the order of the names.
func (c *Config) CallProfiles() []call.Profile { return c.profiles() }

// CallProfile returns a profile by its name; the empty name stands for default_profile, or for the only profile there is.
func (c *Config) CallProfile(name string) (call.Profile, bool) { return c.profileSource()(name) }

// AWSCredentials returns what signs requests to AWS: the variables of the environment, else the roles, or test credentials beside an emulator.
func (o Options) AWSCredentials(emulator bool) aws.CredentialsProvider {
	return o.withDefaults().credentials(emulator)
}

// OpenLedger opens the configured ledger alone, with the naming of its rows; nil for ledger.driver none.
func (c *Config) OpenLedger(ctx context.Context, o Options) (*Store, call.Naming, error) {
	naming, err := c.Naming(ctx, o.withDefaults())
	if err != nil {
		return nil, naming, err
	}
	o = o.withDefaults()
	store, err := c.openStore(ctx, o, naming, NewObserver(o.Log, nil))
	return store, naming, err
}

// OpenDialer returns the configured dialer alone.
func (c *Config) OpenDialer(o Options) (call.Dialer, error) { return c.dialer(o.withDefaults()) }

// PacePerSecond returns pacing.per_second.
func (c *Config) PacePerSecond() float64 {
	if c.Pacing.PerSecond != nil {
		return *c.Pacing.PerSecond
	}
	return defaultPace
}

// Reserve returns lambda.reserve: no dial is started with less time left.
func (c *Config) Reserve() time.Duration { return orDefault(c.Lambda.Reserve, c.dialTime()) }

// WitnessPath returns the path of the witness of a SQLite ledger; empty when none can be named.
func (c *Config) WitnessPath(ctx context.Context, o Options) (string, error) {
	if c.Ledger.Witness != "" || c.Ledger.Driver != driverSQLite {
		return c.Ledger.Witness, nil
	}
	naming, err := c.Naming(ctx, o.withDefaults())
	return o.withDefaults().defaultWitness(c.Ledger.Path, naming), err
}

// TableRegion returns the Region of the ledger's table; empty when no table is configured.
func (c *Config) TableRegion(o Options) string {
	if c.Ledger.Driver != driverDynamoDB {
		return ""
	}
	if c.Ledger.Region != "" {
		return c.Ledger.Region
	}
	region, _ := o.withDefaults().LookupEnv("AWS_REGION")
	return region
}

// Spooled returns how many facts wait that the ledger did not take.
func (c *Config) Spooled() (int, error) {
	path := c.spoolPath()
	if path == "" {
		return 0, nil
	}
	facts, err := spool.Open(path).Pending()
	return len(facts), err
}

// dialTime is how long a dial may take, with what the SDK does around it.
func (c *Config) dialTime() time.Duration {
	return orDefault(c.Connect.Timeout, connect.DefaultTimeout) + 3*time.Second
}

// DriverName returns ledger.driver, "none" when it is left out.
func (c *Config) DriverName() string {
	if c.Ledger.Driver == "" {
		return driverNone
	}
	return c.Ledger.Driver
}

// EndpointOverrides returns the variables of the environment that would send an SDK elsewhere.
func (c *Config) EndpointOverrides(o Options) []string {
	if name := o.withDefaults().endpointVariable(); name != "" {
		return []string{name}
	}
	return nil
}

// CheckEndpoint refuses the address of an emulator in production, and elsewhere one that is not on loopback. field names it in the error.
func (c *Config) CheckEndpoint(field, value string) error { return c.checkEndpoint(field, value) }
