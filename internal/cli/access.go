package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

// accessGroup holds the commands about who may ask (docs/access.md).
type accessGroup struct {
	Key keyGroup `cmd:"" help:"API keys of producers and operators: make, list, rotate and revoke them."`
}

// keyGroup holds the commands about API keys.
type keyGroup struct {
	Add    keyAddCommand    `cmd:"" help:"Make a key and print it, this one time, on standard output."`
	List   keyListCommand   `cmd:"" help:"List keys: whose they are, what they are good for, when they were last used. No secret is kept."`
	Rotate keyRotateCommand `cmd:"" help:"Make the key that follows another one, which stays good for a while."`
	Revoke keyRevokeCommand `cmd:"" help:"End a key now."`
}

// keyAnswer is the JSON form of a key. Key is there once, when it was made.
type keyAnswer struct {
	Key      string    `json:"key,omitempty"`
	Prefix   string    `json:"prefix"`
	Producer string    `json:"producer,omitempty"`
	Operator string    `json:"operator,omitempty"`
	Role     string    `json:"role,omitempty"` // of an operator's key
	KeySpace string    `json:"keySpace,omitempty"`
	Reads    []string  `json:"reads,omitempty"`
	Profiles []string  `json:"profiles,omitempty"`
	Rate     string    `json:"rate,omitempty"`
	State    string    `json:"state"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"`
	LastUsed time.Time `json:"lastUsed,omitzero"` // the day
	By       string    `json:"by,omitempty"`
}

func keyOf(r access.Record, now, used time.Time) keyAnswer {
	a := keyAnswer{
		Prefix: r.Prefix, Producer: r.Scope.Producer, Operator: r.Operator, Role: string(r.Role), KeySpace: r.Scope.KeySpace, Reads: r.Scope.Reads, Profiles: r.Scope.Profiles, State: "live",
		Created: r.Created, Expires: r.Expires, Revoked: r.Revoked, LastUsed: used, By: r.By,
	}
	if a.KeySpace == "" {
		a.KeySpace = a.Producer
	}
	if rate := r.Scope.Rate; rate != (access.Rate{}) {
		a.Rate = strconv.FormatFloat(rate.PerSecond, 'g', -1, 64) + "/s, burst " + strconv.Itoa(rate.Burst)
	}
	switch {
	case !r.Revoked.IsZero():
		a.State = "revoked"
	case !r.Expires.IsZero() && !now.Before(r.Expires):
		a.State = "expired"
	}
	return a
}

// keyAddCommand makes a key.
type keyAddCommand struct {
	Producer  string   `placeholder:"NAME" help:"Whose key it is: letters, digits and . _ -."`
	Operator  bool     `help:"A key of an operator, with --name and --role; it ends after 90 days unless --expires says otherwise."`
	Name      string   `placeholder:"NAME" help:"Of the operator, as the audit log names them."`
	Role      string   `placeholder:"ROLE" help:"Of the operator: read, operate or admin."`
	KeySpace  string   `placeholder:"NAME" help:"The room of its ids; default: its own. Another one must list the producer in access.key_spaces."`
	Reads     []string `placeholder:"NAME,..." help:"Further key spaces whose calls it may see."`
	Profiles  []string `placeholder:"NAME,..." help:"Profiles it may name; default: all."`
	PerSecond float64  `placeholder:"N" help:"Requests a second; with --burst."`
	Burst     int      `placeholder:"N" help:"Requests at once; with --per-second."`
	Expires   string   `placeholder:"DURATION" help:"How long it is good, such as 90d; default: until it is revoked."`
	Actor     string   `placeholder:"NAME" help:"Who makes it; default: the user of this process."`
	JSON      bool     `help:"Print one JSON object."`
}

// Run implements the command.
func (x *keyAddCommand) Run(ctx context.Context, e *environment) error {
	if err := x.check(); err != nil {
		return err
	}
	scope := access.Scope{
		Producer: x.Producer, KeySpace: x.KeySpace, Reads: x.Reads, Profiles: x.Profiles, Rate: access.Rate{PerSecond: x.PerSecond, Burst: x.Burst},
	}
	return e.editKeys(ctx, x.Actor, "key.add", func(file access.KeyFile, c *app.Config) (access.Record, func() error, error) {
		expires, err := e.until(x.Expires)
		if err != nil {
			return access.Record{}, nil, err
		}
		if x.Operator {
			text, r, err := file.AddOperator(x.Name, access.Role(x.Role), expires)
			return r, func() error { return e.printKey(text, r, x.JSON) }, err
		}
		if err := c.CheckScope(scope.Producer, scope.KeySpace, scope.Reads, scope.Profiles); err != nil {
			return access.Record{}, nil, err
		}
		text, r, err := file.Add(scope, expires)
		return r, func() error { return e.printKey(text, r, x.JSON) }, err
	})
}

// check refuses what belongs to the other kind of key.
func (x *keyAddCommand) check() error {
	ofProducer := x.Producer != "" || x.KeySpace != "" || len(x.Reads) > 0 || len(x.Profiles) > 0 || x.PerSecond != 0 || x.Burst != 0
	switch {
	case x.Operator && ofProducer:
		return misused("--operator stands beside what only a producer's key has.", "Give --operator, --name and --role, or --producer.")
	case x.Operator && (x.Name == "" || x.Role == ""):
		return misused("--operator needs --name and --role.", "Roles are read, operate and admin: docs/access.md.")
	case !x.Operator && (x.Name != "" || x.Role != ""):
		return misused("--name and --role are of an operator's key.", "Add --operator, or give --producer alone.")
	case !x.Operator && x.Producer == "":
		return misused("Nobody is named whose key it is.", "Give --producer, or --operator with --name and --role.")
	}
	return nil
}

// keyRotateCommand makes the key after another one.
type keyRotateCommand struct {
	Prefix  string `arg:"" help:"The part of the old key between ro_ and the second _."`
	Overlap string `default:"1d" placeholder:"DURATION" help:"How long the old key stays good."`
	Expires string `placeholder:"DURATION" help:"How long the new one is good, such as 90d; default: until it is revoked."`
	Actor   string `placeholder:"NAME" help:"Who does it; default: the user of this process."`
	JSON    bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *keyRotateCommand) Run(ctx context.Context, e *environment) error {
	return e.editKeys(ctx, x.Actor, "key.rotate", func(file access.KeyFile, _ *app.Config) (access.Record, func() error, error) {
		overlap, err := app.ParseDuration(x.Overlap)
		if err != nil || overlap < 0 {
			return access.Record{}, nil, misused("--overlap is no duration.", "Write it as 12h or 7d.")
		}
		expires, err := e.until(x.Expires)
		if err != nil {
			return access.Record{}, nil, err
		}
		text, r, err := file.Rotate(x.Prefix, overlap, expires)
		return r, func() error { return e.printKey(text, r, x.JSON) }, err
	})
}

// keyRevokeCommand ends a key.
type keyRevokeCommand struct {
	Prefix string `arg:"" help:"The part of the key between ro_ and the second _."`
	Actor  string `placeholder:"NAME" help:"Who does it; default: the user of this process."`
	JSON   bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *keyRevokeCommand) Run(ctx context.Context, e *environment) error {
	return e.editKeys(ctx, x.Actor, "key.revoke", func(file access.KeyFile, _ *app.Config) (access.Record, func() error, error) {
		r, err := file.Revoke(x.Prefix)
		return r, func() error {
			if x.JSON {
				return printJSON(e.Stdout, keyOf(r, e.Clock.Now(), time.Time{}))
			}
			_, err := fmt.Fprintf(e.Stdout, "key %s of %s was revoked at %s\n", r.Prefix, r.Owner(), stamp(r.Revoked))
			return err
		}, err
	})
}

// editKeys changes the file of keys, writes down who did what, and only then tells it: a key that nobody can account for is not shown, but revoked.
func (e *environment) editKeys(ctx context.Context, actor, action string, edit func(access.KeyFile, *app.Config) (access.Record, func() error, error)) (err error) {
	c, file, err := e.keyFile(actor)
	if err != nil {
		return err
	}
	log, err := guards.OpenAudit(c, guards.WriterCommand, e.Clock, e.Random, true)
	if err != nil {
		return err
	}
	if log != nil {
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	record, tell, err := edit(file, c)
	switch {
	case err != nil:
		return err
	case log == nil:
		return tell()
	}
	err = log.Append(ctx, auditlog.Act{Actor: file.By, Kind: string(access.Operator), Action: action, Reason: "key " + record.Prefix + " of " + record.Owner(), Answer: "done"})
	if err != nil {
		_, undo := file.Revoke(record.Prefix)
		return errors.Join(failed("The audit log cannot be written, so the key was revoked.", "Look at access.audit_dir, and do it again."), err, undo)
	}
	return tell()
}

func (e *environment) keyFile(actor string) (*app.Config, access.KeyFile, error) {
	c, err := e.config()
	if err != nil {
		return nil, access.KeyFile{}, err
	}
	if c.Access.KeysFile == "" {
		return nil, access.KeyFile{}, &call.Error{
			Code: call.CodeConfiguration, Field: "access.keys_file", Message: "This configuration has no file of API keys.", Fix: "Set access.keys_file.",
		}
	}
	return c, access.KeyFile{Path: c.Access.KeysFile, Clock: e.Clock, Random: e.Random, By: e.actorOf(actor)}, nil
}

// until is the instant after a duration; zero for none.
func (e *environment) until(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	d, err := app.ParseDuration(text)
	if err != nil || d <= 0 {
		return time.Time{}, misused("--expires is no duration.", "Write it as 12h or 90d.")
	}
	return e.Clock.Now().Add(d).UTC().Truncate(time.Second), nil
}

// printKey prints the secret on standard output and nothing else with it, so that it can be piped into where it belongs.
func (e *environment) printKey(text string, r access.Record, asJSON bool) error {
	if asJSON {
		a := keyOf(r, e.Clock.Now(), time.Time{})
		a.Key = text
		return printJSON(e.Stdout, a)
	}
	if _, err := fmt.Fprintf(e.Stderr, "key %s of %s; it is shown this one time and kept nowhere:\n", r.Prefix, r.Owner()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout, text)
	return err
}

// keyListCommand lists keys.
type keyListCommand struct {
	JSON bool `help:"Print one JSON object a key."`
}

// Run implements the command.
func (x *keyListCommand) Run(_ context.Context, e *environment) error {
	_, file, err := e.keyFile("")
	if err != nil {
		return err
	}
	records, used, err := file.List()
	if err != nil {
		return err
	}
	rows := [][]string{{"PREFIX", "OWNER", "ROLE", "KEY SPACE", "READS", "PROFILES", "RATE", "STATE", "CREATED", "EXPIRES", "LAST USED"}}
	for _, r := range records {
		a := keyOf(r, e.Clock.Now(), used[r.Prefix])
		if x.JSON {
			if err := printJSON(e.Stdout, a); err != nil {
				return err
			}
			continue
		}
		day := ""
		if !a.LastUsed.IsZero() {
			day = a.LastUsed.Format(time.DateOnly)
		}
		rows = append(rows, []string{
			a.Prefix, r.Owner(), a.Role, a.KeySpace, strings.Join(a.Reads, ","), strings.Join(a.Profiles, ","), a.Rate, a.State, stamp(a.Created), stamp(a.Expires), day,
		})
	}
	switch {
	case x.JSON:
		return nil
	case len(records) == 0:
		_, err := fmt.Fprintln(e.Stdout, "there are no keys")
		return err
	}
	return table(e.Stdout, rows)
}
