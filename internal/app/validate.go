package app

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// Validate checks every member that needs nothing opened. It returns an *call.Error that names the first offending one.
func (c *Config) Validate() error {
	checks := []func() error{
		c.checkLedger, c.checkIdentity, c.checkToken, c.checkConnect, c.checkProfiles, c.checkProducers, c.checkMappings, c.checkDestinations, c.checkWake,
		c.checkHints, c.checkWebhooks, c.checkTimes, c.checkLog, c.checkMetrics, c.checkHolding, c.checkServe, c.checkAccess, c.checkTokenSpaces,
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkLedger() error {
	if err := c.oneOf("ledger.suppressions", c.Ledger.Suppressions, "off", "first-20", "all"); err != nil {
		return err
	}
	if err := c.oneOf("ledger.on_poison", c.Ledger.OnPoison, "return", "park"); err != nil {
		return err
	}
	if c.parks() && c.DriverName() == driverNone {
		return c.refuse("ledger.on_poison", "Configure a ledger, or remove it.", "is park and ledger.driver is none.")
	}
	if c.Ledger.Remember != nil && *c.Ledger.Remember < 0 {
		return c.refuse("ledger.remember", "Use 0 for none.", "is negative.")
	}
	if field := c.Ledger.ofTable(); field != "" && c.Ledger.Driver != driverDynamoDB {
		return c.refuse(field, "Set ledger.driver: dynamodb, or remove it.", "is set and ledger.driver is not dynamodb.")
	}
	if field := c.Ledger.ofDatabase(); field != "" && c.Ledger.Driver != driverPostgres {
		return c.refuse(field, "Set ledger.driver: postgres, or remove it.", "is set and ledger.driver is not postgres.")
	}
	switch c.Ledger.Driver {
	case driverDynamoDB:
		return c.checkTable()
	case driverPostgres:
		return c.checkDatabase()
	case driverSQLite:
		if c.Ledger.Path == "" {
			return c.refuse("ledger.path", "Name a file on a local disk.", "is missing and ledger.driver is sqlite.")
		}
	case "", "none":
		if c.Ledger.Path != "" {
			return c.refuse("ledger.path", "Set ledger.driver: sqlite, or remove it.", "is set and ledger.driver is none.")
		}
	}
	return nil
}

// parks reports whether records that cannot be read are kept in the ledger.
func (c *Config) parks() bool { return c.Ledger.OnPoison == "park" }

func (c *Config) checkIdentity() error {
	if err := c.oneOf("identity.mode", c.Identity.Mode, "plain", "hmac"); err != nil {
		return err
	}
	if c.Identity.Mode != "hmac" {
		return nil
	}
	return c.checkKey("identity", c.Identity.KeyFile, c.Identity.KeySecret, "identity.mode is hmac")
}

func (c *Config) checkToken() error {
	recipe, err := clienttoken.ParseRecipe(c.Token.Recipe)
	if err != nil {
		return c.refuse("token.recipe", "Use sha256, template, message, event-id or hmac-sha256.", "names no recipe.")
	}
	if recipe != clienttoken.HMACSHA256 {
		return nil
	}
	return c.checkKey("token", c.Token.KeyFile, c.Token.KeySecret, "token.recipe is hmac-sha256")
}

func (c *Config) checkConnect() error {
	for field, value := range map[string]string{"secrets.endpoint": c.Secrets.Endpoint, "sqs.endpoint": c.SQS.Endpoint} {
		if err := c.checkEndpoint(field, value); err != nil {
			return err
		}
	}
	return c.checkEndpoint("connect.endpoint", c.Connect.Endpoint)
}

// checkEndpoint refuses an address of one's own in production, and elsewhere one that is not an emulator's.
func (c *Config) checkEndpoint(field, value string) error {
	if value == "" {
		return nil
	}
	if c.IsProduction() {
		return c.refuse(field, "Remove it, or set production: false for an emulator.", "is set in a production configuration.")
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return c.refuse(field, "Write it as http://127.0.0.1:7465.", "is no URL.")
	}
	if host := u.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() && !strings.HasSuffix(host, ".emulator") {
		return c.refuse(field, "Use an emulator on 127.0.0.1.", "is not on loopback.")
	}
	return nil
}

func (c *Config) checkProfiles() error {
	if len(c.Profiles) == 0 {
		return c.refuse("profiles", "Add one with region, instance_id, contact_flow_id and queue_id or source_phone.", "holds no profile.")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		if !profileName(name) {
			return c.refuse("profiles", "Use letters, digits, - and _.", "holds a name that is not usable: %q.", name)
		}
		profile, err := c.callProfile(name)
		if err != nil {
			return err
		}
		if c.Ledger.Driver == "" || c.Ledger.Driver == "none" {
			if err := c.checkWithoutLedger("profiles."+name, profile); err != nil {
				return err
			}
		}
	}
	if c.DefaultProfile != "" {
		if _, ok := c.Profiles[c.DefaultProfile]; !ok {
			return c.refuse("default_profile", "Name one of profiles.", "names no profile.")
		}
	}
	return nil
}

// checkWithoutLedger refuses what the token alone cannot keep (protocol.md section 9), where the file says it.
func (c *Config) checkWithoutLedger(field string, p call.Profile) error {
	settings := []struct {
		name string
		set  bool
	}{
		{"kind", !p.Kind.NeedsNumber()},
		{"resend", p.Resend != "" && p.Resend != call.ResendToken},
		{"window", p.Window.For != 0},
		{"window_reopen", p.WindowReopenAny},
		{"paused", p.Paused},
		{"outcome", c.Profiles[p.Name].Outcome == outcomeTrack},
		{"hours", len(c.Profiles[p.Name].Hours) > 0},
		{"closed", len(c.Profiles[p.Name].Closed) > 0},
		{"time_zone", c.Profiles[p.Name].TimeZone != ""},
		{"urgent", c.Profiles[p.Name].Urgent != ""},
		{"caps", c.Profiles[p.Name].Caps != ""},
	}
	for _, s := range settings {
		if s.set {
			return c.refuse(field+"."+s.name, "Remove it, or configure a ledger.", "needs a ledger, and ledger.driver is none.")
		}
	}
	return nil
}

func (c *Config) checkProducers() error {
	seen := map[string]bool{}
	for i, p := range c.Producers {
		field := "producers[" + strconv.Itoa(i) + "]"
		if p.ARN == "" {
			return c.refuse(field+".arn", "Name the queue, topic or rule.", "is missing.")
		}
		if seen[p.ARN] {
			return c.refuse(field+".arn", "Keep one entry for each.", "is named twice.")
		}
		seen[p.ARN] = true
	}
	return nil
}

func (c *Config) checkTimes() error {
	if err := c.oneOf("lambda.batch_response", c.Lambda.BatchResponse, "partial", "whole"); err != nil {
		return err
	}
	times := []struct {
		field, value string
		low, high    time.Duration
	}{
		{"connect.timeout", c.Connect.Timeout, 10 * time.Second, 15 * time.Second},
		{"pacing.patience", c.Pacing.Patience, 0, 15 * time.Minute},
		{"sweep.every", c.Sweep.Every, time.Second, 4 * time.Minute},
		{"lambda.reserve", c.Lambda.Reserve, 2 * time.Second, 10 * time.Minute},
	}
	for _, t := range times {
		if _, err := c.duration(t.field, t.value, t.low, t.high); err != nil {
			return err
		}
	}
	if c.Pacing.PerSecond != nil && (*c.Pacing.PerSecond <= 0 || *c.Pacing.PerSecond > 10_000) {
		return c.refuse("pacing.per_second", "Use your quota of StartOutboundVoiceContact, 2 unless it was raised.", "is outside (0, 10000].")
	}
	if c.Pacing.Burst < 0 || c.Sweep.Limit < 0 || c.Lambda.Concurrency < 0 {
		return c.refuse("pacing.burst", "Use positive counts in pacing.burst, sweep.limit and lambda.concurrency.", "or another count is negative.")
	}
	return nil
}

func (c *Config) checkLog() error {
	if err := c.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error"); err != nil {
		return err
	}
	return c.oneOf("log.format", c.Log.Format, "json", "text")
}

func (c *Config) checkMetrics() error {
	if name := c.Metrics.Namespace; name != "" && !namespaceName(name) {
		return c.refuse("metrics.namespace", "Use letters, digits and . - _ / #, not beginning with AWS/.", "is no namespace of CloudWatch.")
	}
	return c.oneOf("metrics.format", c.Metrics.Format, "none", "emf")
}

// oneOf accepts the empty value, which means the default.
func (c *Config) oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return c.refuse(field, "Use one of: "+strings.Join(allowed, ", ")+".", "has the unknown value %q.", value)
}

// duration reads Go's form or whole days; the empty value is zero. high of zero means no limit.
func (c *Config) duration(field, value string, low, high time.Duration) (time.Duration, error) {
	if value == "" {
		return 0, nil
	}
	d, err := parseDuration(value)
	if err != nil {
		return 0, c.refuse(field, "Write it as 90s, 15m, 6h or 30d.", "is no duration.")
	}
	if d < low || (high > 0 && d > high) {
		return 0, c.refuse(field, "Choose a value in the range.", "is outside %s to %s.", low, high)
	}
	return d, nil
}

func parseDuration(value string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36_500 {
			return 0, strconv.ErrSyntax
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	return time.ParseDuration(value)
}
