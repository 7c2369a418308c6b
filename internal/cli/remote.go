package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ringonce/ringonce/client"
)

// The variables that name a service and the file of the key that is shown to it.
const (
	ServerVariable = "RINGONCE_SERVER"
	KeyVariable    = "RINGONCE_API_KEY_FILE"
)

// Bounds of what is asked of a service.
const (
	mostOfKey   = 4 << 10
	remotePage  = 200              // the largest that the API gives
	remoteTime  = time.Minute      // of one answer
	longestWait = 30 * time.Second // as the service does (openapi.yaml, Prefer)
)

// remoteFlags are the flags by which a command asks a service instead of opening its ledger. A key is never an argument: the list of processes shows
// arguments to everybody.
type remoteFlags struct {
	Server     string `placeholder:"URL" help:"Ask the service at this address instead of opening the ledger, with the same answers; default: the variable RINGONCE_SERVER."`
	APIKeyFile string `placeholder:"FILE" help:"File with the API key for the service; default: the one that the variable RINGONCE_API_KEY_FILE names."`

	CertFile string `placeholder:"FILE" help:"PEM file with a client certificate, for a service that asks for one (mutual TLS); default: that of the variable RINGONCE_CERT_FILE."`
	KeyFile  string `placeholder:"FILE" help:"PEM file with the private key of --cert-file; default: that of the variable RINGONCE_KEY_FILE."`
	CAFile   string `name:"ca-file" placeholder:"FILE" help:"PEM file with the only authorities of the service's certificate; default: that of the variable RINGONCE_CA_FILE, else those of the machine."`
}

// remote is a service that is asked.
type remote struct {
	*environment

	api     *client.Client
	address string
	orders  bool // what is named is no call but an order
}

// remote returns the service that the command is to ask; nil when it is to open the ledger. A configuration in the arguments is nearer than a service in
// a variable.
func (e *environment) remote() (*remote, error) {
	flags := e.commands.remoteFlags()
	address, named := flags.Server, "--server"
	switch {
	case address != "" && e.commands.Config != "":
		return nil, misused("--server and --config are both given.", "Name the service, or the configuration whose ledger is opened.")
	case address == "" && e.commands.Config == "":
		address, _ = e.LookupEnv(ServerVariable)
		named = ServerVariable
	}
	if address == "" {
		if named := flags.withoutService(); named != "" {
			return nil, misused(named+" is given without a service.", "Name the service with --server.")
		}
		return nil, nil //nolint:nilnil // the ledger is opened
	}
	if err := checkAddress(named, address); err != nil {
		return nil, err
	}
	key, err := e.apiKey(flags.APIKeyFile)
	if err != nil {
		return nil, err
	}
	transport, err := e.remoteTransport(flags, strings.HasPrefix(address, "https:"))
	if err != nil {
		return nil, err
	}
	options := []client.Option{client.WithHTTPClient(&http.Client{
		Transport: transport, Timeout: remoteTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // nobody else is shown the key or a number
	})}
	if key != "" {
		options = append(options, client.WithToken(key))
	}
	api, err := client.New(address, options...)
	if err != nil {
		return nil, misused(named+" is no address of a service.", "Write it like https://calls.example.org.")
	}
	return &remote{environment: e, api: api, address: address}, nil
}

// remoteFlags are those of the group that the arguments named; the others are empty.
func (c *commands) remoteFlags() remoteFlags {
	return cmp.Or(c.Calls.remoteFlags, c.Orders.remoteFlags, c.Doubt.remoteFlags, c.Held.remoteFlags, c.Pause.remoteFlags, c.Resume.remoteFlags, c.Dnc.remoteFlags)
}

// remoteAct is remote for a command that acts: who acts there is who the key says, so that nobody may be named.
func (e *environment) remoteAct(actor string) (*remote, error) {
	r, err := e.remote()
	if err == nil && r != nil {
		err = noActor(actor)
	}
	return r, err
}

// needRemote is remote for commands that only a service can do.
func (e *environment) needRemote(command string) (*remote, error) {
	r, err := e.remote()
	if err == nil && r == nil {
		err = misused("The command calls "+command+" asks a service, and none is named.", "Name it with --server, or in the variable "+ServerVariable+"; docs/serve.md says how to run one.")
	}
	return r, err
}

// checkAddress refuses what is no address of a service, and one that numbers and the key would travel to in the clear.
func checkAddress(named, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return misused(named+" is no address of a service.", "Write it like https://calls.example.org.")
	}
	if u.User != nil {
		return misused(named+" holds a name or a password.", "Put the API key into a file and name it with --api-key-file.")
	}
	if u.Scheme == "http" && !onThisMachine(u.Hostname()) {
		return misused(named+" is a service on another machine without TLS, so phone numbers would travel in the clear.", "Use https.")
	}
	return nil
}

func onThisMachine(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// apiKey reads the key that the flag or the variable names a file of; empty when neither does.
func (e *environment) apiKey(path string) (string, error) {
	path, named := e.namedFile("--api-key-file", path, KeyVariable)
	if path == "" {
		return "", nil
	}
	text, err := readFew(path, mostOfKey)
	if err != nil {
		return "", misused("The file of "+named+" cannot be read: "+cause(err)+".", "Name the file that holds the key.")
	}
	key := strings.TrimSpace(string(text))
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", misused("The file of "+named+" holds no API key.", "Put the key into it as ringonce access key add printed it, and nothing else.")
	}
	return key, nil
}

// cause is an error of a file without its path, which its reader has named.
func cause(err error) string {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// readFew reads a file of at most so many bytes.
func readFew(path string, most int64) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return readAtMost(file, most)
}

func readAtMost(r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it is longer than %d bytes", most)
	}
	return text, err
}

// calls returns all calls of a filter, newest first, page by page. A page that the service has no time for now is asked for again.
func (r *remote) calls(ctx context.Context, f client.Filter) iter.Seq2[client.Call, error] {
	return func(yield func(client.Call, error) bool) {
		for {
			var page client.Page
			err := r.patiently(ctx, func() (err error) {
				page, err = r.api.List(ctx, f)
				return err
			})
			if err != nil {
				yield(client.Call{}, err)
				return
			}
			for _, c := range page.Calls {
				if !yield(c, nil) {
					return
				}
			}
			if f.Cursor = page.NextCursor; f.Cursor == "" {
				return
			}
		}
	}
}

// resolve returns the id that the text names: a whole one, or the unique beginning of one.
func (r *remote) resolve(ctx context.Context, text string) (string, error) {
	if len(text) == fullID {
		return text, nil
	}
	if err := checkBeginning(text); err != nil {
		return "", err
	}
	var found []string
	for c, err := range r.calls(ctx, client.Filter{IDPrefix: text, Limit: remotePage}) {
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(c.ID, text) { // a service of before does not know the filter
			found = append(found, c.ID)
		}
		if len(found) > 1 {
			break
		}
	}
	return onlyOf(found, text)
}

// noActor refuses a name in the arguments: who acts through a service is who its key says.
func noActor(actor string) error {
	if actor == "" {
		return nil
	}
	return misused("--actor is given, and a service knows by itself who asks.", "Leave it out; the history names the owner of the key.")
}

// The first wait before a service is asked again, how much longer each next one is, and how often a question is asked at most.
const (
	firstPause = 500 * time.Millisecond
	morePause  = 2
	mostAsked  = 6
)

// patiently asks again when the service has no time now. It is for questions only.
func (r *remote) patiently(ctx context.Context, ask func() error) error {
	pause := firstPause
	for asked := 1; ; asked++ {
		err := ask()
		problem, told := errors.AsType[*client.Error](err)
		if err == nil || !told || !problem.Retry() || asked == mostAsked {
			return r.told(err)
		}
		if err := r.Clock.Sleep(ctx, pause); err != nil {
			return err
		}
		pause *= morePause
	}
}
