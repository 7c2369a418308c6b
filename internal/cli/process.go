package cli

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awswake"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rolecreds"
)

// Process is everything a command touches outside of this program's files.
type Process struct {
	Args      []string  // without the program's name
	Stdin     io.Reader // nil means that nobody can be asked
	Stdout    io.Writer
	Stderr    io.Writer
	LookupEnv func(name string) (string, bool)
	Environ   func() []string // as os.Environ; nil where the environment cannot be listed
	Clock     call.Clock
	Random    io.Reader // safe for concurrent use
	Stores    map[string]app.OpenStore
	HTTP      *http.Client // nil means the clients of the dialer and of the looks
	Waker     app.OpenWaker
	Roles     aws.CredentialsProvider // where AWS hands this process credentials besides variables; nil asks nobody
	Rewire    func(*app.Options)      // changes what an App is built from; nil outside of the crash test, which dies inside the ports

	LimitMemory func(bytes int64) // softly, that of the whole process; nil where others share it
	CollectAt   func(percent int) // how much garbage there may be, in percent of what lives; nil as above
}

// Main runs the command line of this process and returns its exit code. SIGINT and SIGTERM end a command that waits.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: app.LookupProcess, Environ: app.ListProcess,
		Clock: app.SystemClock{}, Random: rand.Reader, Stores: stores.All(), Waker: awswake.Open,
		Roles:       rolecreds.New(app.LookupProcess),
		LimitMemory: func(bytes int64) { debug.SetMemoryLimit(bytes) },
		CollectAt:   func(percent int) { debug.SetGCPercent(percent) },
	}.Run(ctx)
}
