package app

import (
	"errors"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Access says who may ask the service for what (docs/access.md). Without any credential in it, the service answers on loopback only, and where it rings real
// telephones only with Anonymous.
type Access struct {
	KeysFile      string              `yaml:"keys_file"`       // API keys of producers, kept by `ringonce access key`
	Producers     []AccessProducer    `yaml:"producers"`       // what the producers of tokens and certificates may do
	KeySpaces     []AccessKeySpace    `yaml:"key_spaces"`      // those that more than one producer was granted
	Issuers       []AccessIssuer      `yaml:"issuers"`         // of bearer tokens
	Certificates  []AccessCertificate `yaml:"certificates"`    // of clients
	PerSecond     float64             `yaml:"per_second"`      // requests of a producer that has no rate of its own; default: no limit
	Burst         int                 `yaml:"burst"`           //
	MaxOpen       int                 `yaml:"max_open"`        // open calls of a producer that is not listed; default: no limit
	Anonymous     bool                `yaml:"anonymous"`       // without credentials, every program of this machine may do everything, also ring real telephones
	FetchAllow    []string            `yaml:"fetch_allow"`     // private ranges that key sets may be fetched from; webhooks are not sent there
	FlowReporters []string            `yaml:"flow_reporters"`  // whose credentials forward what contact flows report (docs/flow.md)
	TwoPerson     bool                `yaml:"two_person"`      // bulk re-calls need a second admin
	AuditDir      string              `yaml:"audit_dir"`       // one log for each writer; default: audit beside ledger.path, or ledger.witness with .audit
	AuditHeadsDir string              `yaml:"audit_heads_dir"` // what is remembered of them; default: beside audit_dir
	AuditKeepDays int                 `yaml:"audit_keep_days"` // the newest days of each log that stay, counted by their files; default: all
}

// AccessProducer is what a producer may do that is known by a token or a certificate.
type AccessProducer struct {
	Name      string   `yaml:"name"`
	KeySpace  string   `yaml:"key_space"` // default: its own, called as it is
	Reads     []string `yaml:"reads"`
	Profiles  []string `yaml:"profiles"` // default: all
	PerSecond float64  `yaml:"per_second"`
	Burst     int      `yaml:"burst"`
	MaxOpen   int      `yaml:"max_open"` // calls of its key space that are not final; default: access.max_open
}

// AccessKeySpace is a key space that producers share.
type AccessKeySpace struct {
	Name      string   `yaml:"name"`
	Producers []string `yaml:"producers"`
	Readers   []string `yaml:"readers"`
}

// AccessIssuer signs bearer tokens.
type AccessIssuer struct {
	Issuer        string            `yaml:"issuer"`
	Audience      string            `yaml:"audience"`
	Kind          string            `yaml:"kind"` // producer or operator
	Algorithms    []string          `yaml:"algorithms"`
	JWKSFile      string            `yaml:"jwks_file"`
	JWKSURL       string            `yaml:"jwks_url"`
	NameClaim     string            `yaml:"name_claim"`
	RoleClaim     string            `yaml:"role_claim"`
	Roles         map[string]string `yaml:"roles"`     // value of role_claim to a role
	Producers     map[string]string `yaml:"producers"` // value of name_claim to a producer
	KeySpaceClaim string            `yaml:"key_space_claim"`
}

// AccessCertificate names the producer a client certificate stands for.
type AccessCertificate struct {
	SAN      string `yaml:"san"` // dns:NAME or uri:URI
	Producer string `yaml:"producer"`
}

// roles are the values of access.issuers[].roles.
var roles = []string{"read", "operate", "admin"}

// accessName reports whether a producer or a key space of a credential may be called so.
func accessName(name string) bool { return madeOf(name, "._-", 64) }

func (c *Config) checkAccess() error {
	for _, check := range []func() error{c.checkKeySpaces, c.checkAccessProducers, c.checkIssuers, c.checkCertificates, c.checkReporters, c.checkAccessRest} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkAccessProducers() error {
	seen := map[string]bool{}
	for i, p := range c.Access.Producers {
		field := "access.producers[" + strconv.Itoa(i) + "]"
		switch {
		case !accessName(p.Name):
			return c.refuse(field+".name", "Use up to 64 letters, digits and . _ -.", "is missing or not usable.")
		case seen[p.Name]:
			return c.refuse(field+".name", "Keep one entry for each.", "is named twice.")
		case p.KeySpace != "" && p.KeySpace != p.Name && !c.granted(p.KeySpace, p.Name, false):
			return c.refuse(field+".key_space", "Add the producer to it in access.key_spaces, or leave it out: then the producer has its own.", "was not granted to %s.", p.Name)
		}
		for _, space := range p.Reads {
			if space != p.Name && !c.granted(space, p.Name, true) {
				return c.refuse(field+".reads", "Add the producer to its readers in access.key_spaces.", "holds a key space that was not granted to %s.", p.Name)
			}
		}
		for _, profile := range p.Profiles {
			if _, known := c.Profiles[profile]; !known {
				return c.refuse(field+".profiles", "Name those of profiles.", "holds %q, which is no profile.", profile)
			}
		}
		if err := c.checkRate(field, p.PerSecond, p.Burst); err != nil {
			return err
		}
		if p.MaxOpen < 0 || p.MaxOpen > mostOpen {
			return c.refuse(field+".max_open", "Use 1 to 1000000, or leave it out.", "is outside its range.")
		}
		seen[p.Name] = true
	}
	return nil
}

// mostOpen bounds what is kept in memory of the open calls of a producer.
const mostOpen = 1_000_000

// The range of access.audit_keep_days. With less than a week a long weekend would end before somebody can look.
const leastAuditDays, mostAuditDays = 7, 36500

// OpenLimits returns how many calls each listed producer may have open, and how many every other one; 0 is no limit.
func (a Access) OpenLimits() (listed map[string]int, other int) {
	listed = map[string]int{}
	for _, p := range a.Producers {
		if p.MaxOpen > 0 {
			listed[p.Name] = p.MaxOpen
		}
	}
	return listed, a.MaxOpen
}

func (c *Config) checkRate(field string, perSecond float64, burst int) error {
	if perSecond < 0 || perSecond > 1e6 || burst < 0 || burst > 1e6 || (perSecond == 0) != (burst == 0) {
		return c.refuse(field+".per_second", "Set both per_second and burst, up to 1000000, or neither.", "and burst are no rate.")
	}
	return nil
}

// granted reports whether a shared key space lists a producer.
func (c *Config) granted(space, producer string, reading bool) bool {
	return slices.ContainsFunc(c.Access.KeySpaces, func(s AccessKeySpace) bool {
		return s.Name == space && (slices.Contains(s.Producers, producer) || reading && slices.Contains(s.Readers, producer))
	})
}

func (c *Config) checkKeySpaces() error {
	seen := map[string]bool{}
	for i, s := range c.Access.KeySpaces {
		field := "access.key_spaces[" + strconv.Itoa(i) + "]"
		switch {
		case !accessName(s.Name):
			return c.refuse(field+".name", "Use up to 64 letters, digits and . _ -.", "is missing or not usable.")
		case seen[s.Name]:
			return c.refuse(field+".name", "Keep one entry for each.", "is named twice.")
		case !slices.ContainsFunc(s.Producers, accessName):
			return c.refuse(field+".producers", "Name those that share it.", "names nobody.")
		}
		seen[s.Name] = true
	}
	return nil
}

// checkIssuers finds slips with their place; what is left is checked where the guard is made.
func (c *Config) checkIssuers() error {
	for i, s := range c.Access.Issuers {
		field := "access.issuers[" + strconv.Itoa(i) + "]"
		switch {
		case s.Issuer == "":
			return c.refuse(field+".issuer", "Copy it from the issuer, as the claim iss has it.", "is missing.")
		case s.Audience == "":
			return c.refuse(field+".audience", "Name what the claim aud has to hold.", "is missing; a token for another service would open this one.")
		case s.Kind != "producer" && s.Kind != "operator":
			return c.refuse(field+".kind", "Use producer or operator.", "is neither.")
		case (s.JWKSFile == "") == (s.JWKSURL == ""):
			return c.refuse(field+".jwks_file", "Set exactly one of jwks_file and jwks_url.", "and jwks_url are both set, or both missing.")
		case s.JWKSURL != "" && !strings.HasPrefix(s.JWKSURL, "https://"):
			return c.refuse(field+".jwks_url", "Use https.", "is no https URL.")
		case s.Kind == "operator" && len(s.Roles) == 0:
			return c.refuse(field+".roles", "Map values of role_claim to read, operate or admin.", "is empty.")
		case s.Kind == "producer" && len(s.Producers) == 0:
			return c.refuse(field+".producers", "Map values of name_claim to names of producers.", "is empty.")
		}
		for _, value := range slices.Sorted(maps.Keys(s.Roles)) {
			if !slices.Contains(roles, s.Roles[value]) {
				return c.refuse(field+".roles", "Use read, operate or admin.", "has the unknown role %q.", s.Roles[value])
			}
		}
		for _, a := range s.Algorithms {
			if err := c.oneOf(field+".algorithms", a, "RS256", "ES256", "EdDSA"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Config) checkCertificates() error {
	seen := map[string]bool{}
	for i, s := range c.Access.Certificates {
		field := "access.certificates[" + strconv.Itoa(i) + "]"
		kind, name, _ := strings.Cut(s.SAN, ":")
		switch {
		case name == "" || kind != "dns" && kind != "uri":
			return c.refuse(field+".san", "Write it as dns:NAME or uri:URI.", "is missing or of another kind.")
		case seen[s.SAN]:
			return c.refuse(field+".san", "Keep one entry for each.", "is named twice.")
		case !accessName(s.Producer):
			return c.refuse(field+".producer", "Use up to 64 letters, digits and . _ -.", "is missing or not usable.")
		}
		seen[s.SAN] = true
	}
	return nil
}

// checkReporters refuses a name that somebody counts on for more: whoever forwards reports does nothing else.
func (c *Config) checkReporters() error {
	const field = "access.flow_reporters"
	for i, name := range c.Access.FlowReporters {
		switch {
		case !accessName(name):
			return c.refuse(field, "Use up to 64 letters, digits and . _ -.", "holds a name that is missing or not usable.")
		case slices.Contains(c.Access.FlowReporters[:i], name):
			return c.refuse(field, "Keep one entry for each.", "names %s twice.", name)
		case slices.ContainsFunc(c.Access.Producers, func(p AccessProducer) bool { return p.Name == name }):
			return c.refuse(field, "Give the function that forwards reports a name of its own.", "names %s, which access.producers lets ask for calls.", name)
		}
	}
	return nil
}

func (c *Config) checkAccessRest() error {
	for _, text := range c.Access.FetchAllow {
		if _, err := netip.ParsePrefix(text); err != nil {
			return c.refuse("access.fetch_allow", "Write ranges as 10.0.0.0/8.", "holds %q, which is no range.", text)
		}
	}
	admins := c.Access.KeysFile != "" || slices.ContainsFunc(c.Access.Issuers, func(i AccessIssuer) bool {
		return i.Kind == "operator" && slices.Contains(slices.Collect(maps.Values(i.Roles)), "admin")
	})
	if c.Access.TwoPerson && !admins { // nobody could order, so it would look as if it held something. Which keys a file holds changes while the service runs
		return c.refuse("access.two_person", "Give the role admin in access.issuers[].roles, name access.keys_file for keys of admins, or remove it.",
			"needs two admins, and neither an issuer of operators nor a file of keys can have one.")
	}
	if c.Access.Anonymous && c.Access.Credentials() { // it would look as if something were open, or closed
		return c.refuse("access.anonymous", "Remove one of them.", "stands beside credentials, and with these everybody is asked who they are.")
	}
	if c.Access.MaxOpen < 0 || c.Access.MaxOpen > mostOpen {
		return c.refuse("access.max_open", "Use 1 to 1000000, or leave it out.", "is outside its range.")
	}
	if days := c.Access.AuditKeepDays; days != 0 && (days < leastAuditDays || days > mostAuditDays) {
		return c.refuse("access.audit_keep_days", "Use 7 to 36500, or leave it out to keep all.", "is outside its range.")
	}
	return c.checkRate("access", c.Access.PerSecond, c.Access.Burst)
}

// Credentials reports whether any kind of credential is configured.
func (a Access) Credentials() bool {
	return a.KeysFile != "" || len(a.Issuers) > 0 || len(a.Certificates) > 0
}

// AuditDir is the directory with one audit log for each writer; empty when none was named and the ledger leaves no file on this machine.
func (c *Config) AuditDir() string {
	switch {
	case c.Access.AuditDir != "":
		return c.Access.AuditDir
	case c.Ledger.Path != "":
		return filepath.Join(filepath.Dir(c.Ledger.Path), "audit")
	case c.Ledger.Witness != "": // of PostgreSQL; each process that has a witness of its own has a log of its own
		return c.Ledger.Witness + ".audit"
	}
	return ""
}

// AuditHeadsDir is the directory with what is remembered of each log.
func (c *Config) AuditHeadsDir() string {
	if c.Access.AuditHeadsDir == "" && c.AuditDir() != "" {
		return c.AuditDir() + "-heads"
	}
	return c.Access.AuditHeadsDir
}

// ParseDuration reads a duration as the configuration writes it: Go's form or whole days ("30d").
func ParseDuration(text string) (time.Duration, error) { return parseDuration(text) }

// CheckScope refuses what a key is to be good for when the configuration would not let it be used so.
func (c *Config) CheckScope(producer, keySpace string, reads, named []string) error {
	scope := AccessProducer{Name: producer, KeySpace: keySpace, Reads: reads, Profiles: named}
	other := Config{Access: Access{Producers: []AccessProducer{scope}, KeySpaces: c.Access.KeySpaces}, Profiles: c.Profiles}
	err := other.checkAccessProducers()
	if told, ok := errors.AsType[*call.Error](err); ok { // it is about arguments, not about a place in the file
		told.Code, told.Message = call.CodeFieldValue, strings.Replace(told.Message, "access.producers[0].", "The key's ", 1)
		told.Message = strings.Replace(told.Message, ": ", " ", 1)
	}
	return err
}
