// Package guards makes of the configuration's section access what authenticates requests and writes the audit log. It is apart from package app because the
// Lambda binary, which nobody asks over HTTP, must not link what verifies signatures of tokens.
package guards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outbound"
)

// Guard is a guard with what it holds open.
type Guard struct {
	*access.Guard

	keys     *access.Keys // nil without API keys
	outbound *outbound.Client
}

// Open makes the guard of a configuration with credentials. local is the embedded default: it is used when the configuration has no credential at all, and only then;
// nil refuses such a configuration. The caller decides, because only it knows that its listener is on loopback.
func Open(c *app.Config, local *access.LocalOptions, clock call.Clock, log *slog.Logger) (*Guard, error) {
	out, err := Outbound(c)
	if err != nil {
		return nil, err
	}
	return open(c, local, clock, log, out)
}

func open(c *app.Config, local *access.LocalOptions, clock call.Clock, log *slog.Logger, out *outbound.Client) (*Guard, error) {
	g := &Guard{outbound: out}
	o := options(c)
	o.Clock, o.Log, o.Fetch = clock, log, fetch(out)
	var err error
	if c.Access.KeysFile != "" {
		if g.keys, err = access.OpenKeys(c.Access.KeysFile, clock, log); err != nil {
			return nil, err
		}
		o.Keys = g.keys
	}
	if !c.Access.Credentials() {
		o.Local = local
	}
	if g.Guard, err = access.NewGuard(o); err != nil {
		return nil, err
	}
	return g, nil
}

// Close writes when API keys were last used, and lets go of connections.
func (g *Guard) Close() error {
	g.outbound.Close()
	if g.keys == nil {
		return nil
	}
	return g.keys.Close()
}

// options translates the section.
func options(c *app.Config) access.Options {
	a := c.Access
	o := access.Options{Rate: access.Rate{PerSecond: a.PerSecond, Burst: a.Burst}, Certificates: map[string]string{}, Reporters: a.FlowReporters}
	for _, p := range a.Producers {
		o.Scopes = append(o.Scopes, access.Scope{
			Producer: p.Name, KeySpace: p.KeySpace, Reads: p.Reads, Profiles: p.Profiles, Rate: access.Rate{PerSecond: p.PerSecond, Burst: p.Burst},
		})
	}
	for _, s := range a.KeySpaces {
		o.Grants = append(o.Grants, access.SharedSpace{Name: s.Name, Producers: s.Producers, Readers: s.Readers})
	}
	for _, s := range a.Certificates {
		o.Certificates[s.SAN] = s.Producer
	}
	for _, i := range a.Issuers {
		granted := map[string]access.Role{}
		for value, role := range i.Roles {
			granted[value] = access.Role(role)
		}
		o.Issuers = append(o.Issuers, access.Issuer{
			URL: i.Issuer, Audience: i.Audience, Kind: access.Kind(i.Kind), Algorithms: i.Algorithms, JWKSFile: i.JWKSFile, JWKSURL: i.JWKSURL,
			NameClaim: i.NameClaim, RoleClaim: i.RoleClaim, Roles: granted, Producers: i.Producers, KeySpaceClaim: i.KeySpaceClaim,
		})
	}
	return o
}

// Outbound returns the client for key sets, whose addresses somebody outside wrote down. Webhooks have a client of their own, to which access.fetch_allow opens nothing.
func Outbound(c *app.Config) (*outbound.Client, error) {
	var o outbound.Options
	for _, text := range c.Access.FetchAllow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("guards: access.fetch_allow: %w", err)
		}
		o.Allow = append(o.Allow, prefix)
	}
	return outbound.New(o), nil
}

// fetch reads a key set.
func fetch(client *outbound.Client) access.Fetch {
	return func(ctx context.Context, url string) ([]byte, error) {
		answer, err := client.Get(ctx, url)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names what went wrong already
		}
		if answer.Status != http.StatusOK {
			return nil, fmt.Errorf("guards: the key set was answered with status %d", answer.Status)
		}
		return answer.Body, nil
	}
}

// The writers of audit logs. Each has a log of its own, since one process writes a log.
const (
	WriterService = "serve"
	WriterCommand = "command"
)

// OpenAudit opens the audit log of a writer; nil when the configuration has none. With wait it waits for another process of the same writer.
func OpenAudit(c *app.Config, writer string, clock call.Clock, random io.Reader, wait bool) (*auditlog.Log, error) {
	dir := c.AuditDir()
	if dir == "" {
		return nil, nil //nolint:nilnil // none is an answer
	}
	l, err := auditlog.Open(auditlog.Options{
		Dir: filepath.Join(dir, writer), Head: HeadFile(c, writer), Clock: clock, Random: random, Wait: wait,
	})
	switch {
	case errors.Is(err, auditlog.ErrInUse):
		return nil, refused(dir, "is written by another process", "Stop it, or give this one an access.audit_dir of its own. A log that a service writes is trimmed by the service (access.audit_keep_days).")
	case errors.Is(err, auditlog.ErrCutOff), errors.Is(err, auditlog.ErrTampered):
		return nil, refused(dir, "is not what is remembered of it", "Run `ringonce audit verify`, keep a copy, and look for who changed it; docs/access.md says how to go on.")
	case err != nil:
		return nil, refused(dir, "cannot be opened: "+err.Error(), "Make it writable for this user, or name another access.audit_dir.")
	}
	return l, nil
}

// HeadFile is where the head of a writer's log is remembered.
func HeadFile(c *app.Config, writer string) string {
	return filepath.Join(c.AuditHeadsDir(), writer)
}

func refused(dir, what, fix string) error {
	return &call.Error{Code: call.CodeConfiguration, Field: "access.audit_dir", Message: "The audit log (" + dir + ") " + what + ".", Fix: fix}
}
