package clitest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringonce/ringonce/connectemu"
)

// key names what a script keeps between its lines.
type key string

// state is what a script keeps between its lines; each script has its own.
type state struct {
	telephone *connectemu.Server
	served    *served
	function  *function
}

const stateKey key = "clitest"

// Prepare is the Setup of scripts that use this package's commands.
func Prepare(env *testscript.Env) error {
	env.Values[stateKey] = &state{}
	return Setup(env)
}

func stateOf(ts *testscript.TestScript) *state {
	s, ok := ts.Value(stateKey).(*state)
	if !ok {
		ts.Fatalf("set Params.Setup to clitest.Prepare")
	}
	return s
}

// emulator starts a telephone network in this process, with calls that end at once and no limits but those of a fault plan.
func emulator(ts *testscript.TestScript, neg bool, args []string) {
	args, prime := without(args, "A1'")
	if neg || len(args) > 0 {
		ts.Fatalf("usage: emulator [A1']")
	}
	config := connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: time.Millisecond}
	if prime {
		config.Reading = connectemu.A1Prime
	}
	server, err := connectemu.New(config)
	ts.Check(err)
	api, management := httptest.NewServer(server), httptest.NewServer(server.Management())
	ts.Defer(func() {
		server.Close()
		api.Close()
		management.Close()
	})
	stateOf(ts).telephone = server
	ts.Setenv("EMULATOR", api.URL)
	ts.Setenv("EMULATOR_ADDR", api.Listener.Addr().String())
	ts.Setenv("MANAGEMENT", management.URL)
}

func telephoneOf(ts *testscript.TestScript) *connectemu.Server {
	s := stateOf(ts).telephone
	if s == nil {
		ts.Fatalf("start the emulator first")
	}
	return s
}

func faults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: faults PLAN")
	}
	plan, err := connectemu.ParsePlan(args[0])
	ts.Check(err)
	ts.Check(telephoneOf(ts).SetPlan(plan))
}

func rings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: rings N [NUMBER]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := telephoneOf(ts).RingCount()
	if len(args) == 2 {
		got = len(telephoneOf(ts).RingsFor(args[1]))
	}
	if got != want {
		ts.Fatalf("the phone rang %d times, not %d", got, want)
	}
}

// configure changes switches of the emulator through its management handler, as another program would.
func configure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: configure JSON")
	}
	request := httptest.NewRequest(http.MethodPut, "/config", strings.NewReader(args[0]))
	answer := httptest.NewRecorder()
	telephoneOf(ts).Management().ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		ts.Fatalf("configure: %s", answer.Body.String())
	}
}
