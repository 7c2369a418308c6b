package app

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
)

// Store is an open ledger with its read side.
type Store struct {
	Ledger  call.Ledger
	Index   call.Index
	Journal call.Journal
	Parking call.Parking // nil in stores that cannot park
	Cells   call.Cells   // nil in stores without cells
	Admin   Admin
	Close   func() error
	// WentBack says why the ledger is older than its witness, empty when it is not, of a store that was opened to be read.
	WentBack func(ctx context.Context) (reason string, err error)
	Peek     func(ctx context.Context, id string) (call.Call, error) // call.Config.Peek; nil where a read is cheap anyway
	// Gone is closed when the store can no longer be used by this process and must be opened again; nil where that cannot happen.
	Gone <-chan struct{}
	// OpenHints opens hints in or beside the store's database; nil in stores that have none for jobs.
	OpenHints func(ctx context.Context, r HintRequest) (Hints, error)
	// Backup writes a copy of one instant to a file that does not exist yet, beside the processes that use the ledger; nil where there is none.
	Backup func(ctx context.Context, path string) error
	// Inspect returns what is wrong with the store beside the histories of its calls; nil where there is nothing to inspect.
	Inspect func(ctx context.Context) ([]call.Breach, error)
}

// Admin is what the operator commands need of a ledger beside its ports.
type Admin interface {
	// Each visits every row with its history, in the order of creation.
	Each(ctx context.Context, visit func(call.Call, []call.Entry) error) error
	// Unfinished returns ids of rows that are not final, page by page; next is empty at the end.
	Unfinished(ctx context.Context, cursor string, limit int) (ids []string, next string, err error)
	// BeginRecovery starts a new epoch for a ledger that went back in time and remembers the stretch it forgot.
	BeginRecovery(ctx context.Context, r call.Recovery) error
	// CloseRecovery forgets that stretch.
	CloseRecovery(ctx context.Context) error
	// SetReading records which reading of the client token was measured on the instance, "A1" or "A1'"; empty forgets it.
	SetReading(ctx context.Context, reading string) error
	// Flush makes the notes given so far readable.
	Flush(ctx context.Context) error
}

// StoreRequest is what a store is opened with.
type StoreRequest struct {
	Config        Ledger
	Naming        call.Naming
	Clock         call.Clock
	Random        io.Reader
	Observer      call.Observer // of what concerns no call
	AllowRecovery bool          // open a ledger that went back in time
	ReadOnly      bool          // beside a running process
	Cells         bool          // beside it, write cells

	Credentials  aws.CredentialsProvider // of a ledger on AWS
	UniqueTokens bool                    // two keys can have one token (docs/tokens.md)

	DSN      secret.Secret // of ledger.driver postgres: its connection string
	DSNField string        // the key that named it
	Relaxed  bool          // production: false
}

// NewID returns an id for a ledger that is made.
func (r StoreRequest) NewID() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(r.Random, b[:]); err != nil {
		return "", &call.Error{Code: call.CodeConfiguration, Message: "No randomness can be read for the ledger's id.", Fix: "Check the system's random source."}
	}
	return hex.EncodeToString(b[:]), nil
}

// OpenStore opens one kind of ledger.
type OpenStore func(ctx context.Context, r StoreRequest) (*Store, error)

// openStore opens the configured ledger; nil for ledger.driver none.
func (c *Config) openStore(ctx context.Context, o Options, naming call.Naming, observer call.Observer) (*Store, error) {
	driver := c.Ledger.Driver
	if driver == "" || driver == "none" {
		return nil, nil //nolint:nilnil // no ledger is a mode, not a failure
	}
	open, ok := o.Stores[driver]
	if !ok {
		known := []string{"none"}
		for name := range o.Stores {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, c.refuse("ledger.driver", "Use one of: "+strings.Join(known, ", ")+".", "%q is not in this binary.", driver)
	}
	config := c.Ledger
	if driver == driverDynamoDB {
		if err := c.completeTable(o, &config); err != nil {
			return nil, err
		}
	}
	if driver == driverSQLite && config.Witness == "" {
		config.Witness = o.defaultWitness(config.Path, naming)
		if !o.ReadOnly { // reading needs none
			if err := c.makeWitnessDir(config.Witness); err != nil {
				return nil, err
			}
		}
	}
	request := StoreRequest{
		Config: config, Naming: naming, Clock: o.Clock, Random: o.Random, Observer: observer, AllowRecovery: o.AllowRecovery, ReadOnly: o.ReadOnly, Cells: o.Cells,
		Credentials: o.credentials(config.Endpoint != ""), UniqueTokens: c.tokensCanClash(),
		Relaxed: !c.IsProduction(),
	}
	if driver == driverPostgres {
		var err error
		if request.DSN, request.DSNField, err = c.dsn(ctx, o); err != nil {
			return nil, err
		}
	}
	store, err := open(ctx, request)
	if err == nil && store.Cells == nil {
		store.Cells, _ = store.Ledger.(call.Cells)
	}
	return store, err
}

// defaultWitness names the witness of a ledger in the user's state directory, by the ledger's absolute path.
func (o Options) defaultWitness(path string, naming call.Naming) string {
	state, ok := o.LookupEnv("XDG_STATE_HOME")
	if !ok || state == "" {
		home, ok := o.LookupEnv("HOME")
		if !ok || home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return filepath.Join(state, "ringonce", naming.Recipient("witness", absolute)+".witness")
}

// makeWitnessDir makes the directory of a witness that nobody named.
func (c *Config) makeWitnessDir(witness string) error {
	if witness == "" {
		return c.refuse("ledger.witness", "Name a file outside the ledger's directory.", "is missing and this user has no state directory.")
	}
	if err := os.MkdirAll(filepath.Dir(witness), 0o700); err != nil {
		return c.refuse("ledger.witness", "Name a file outside the ledger's directory.", "is missing and the state directory cannot be made: %v.", errors.Unwrap(err))
	}
	return nil
}

// spoolPath returns the folder of facts that the ledger did not take; empty when there is none.
func (c *Config) spoolPath() string {
	switch {
	case c.Ledger.Spool != "":
		return c.Ledger.Spool
	case c.Ledger.Path != "":
		return c.Ledger.Path + ".spool"
	case c.Ledger.Driver == driverPostgres:
		return c.Ledger.Witness + ".spool"
	}
	return ""
}

// LookupNothing is an environment without variables, for configurations made in code.
func LookupNothing(string) (string, bool) { return "", false }

// LookupProcess is the environment of this process.
func LookupProcess(name string) (string, bool) { return os.LookupEnv(name) }
