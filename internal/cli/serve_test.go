package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/service"
)

func TestEveryFactOfCallsIsExportedToPrometheus(t *testing.T) {
	t.Parallel()
	m := service.NewMetrics("")
	for _, name := range app.MetricNames() {
		if !m.Knows(name) {
			t.Errorf("%s is counted and not exported", name)
		}
	}
	if m.Knows("Nonsense") {
		t.Error("everything is known")
	}
}

func TestTheJitterIsAFractionAndGoesOnWithoutRandomness(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"\x00\x00\x00\x00\x00\x00\x00\x00": 0, "\x80\x00\x00\x00\x00\x00\x00\x00": 0.5, "short": 0.5} {
		if got := fraction(strings.NewReader(text))(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := fraction(bytes.NewReader(bytes.Repeat([]byte{0xff}, 8)))(); got >= 1 || got < 0.99 {
		t.Errorf("the largest is %v", got)
	}
}

func TestRealTelephonesAreNotRungForWhoeverIsOnThisMachineUnlessTheConfigurationSaysSo(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // what is not refused ends here, and serves nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for access, want := range map[string]int{"{}": ExitUsage, "{anonymous: true}": ExitEnvironment, "{keys_file: %q}": ExitEnvironment} {
		d := newDesk(t, "")
		withKey := strings.Contains(access, "%q")
		if withKey {
			access = fmt.Sprintf(access, filepath.Join(d.dir, "keys.json"))
		}
		text, err := os.ReadFile(d.config)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "ledger:")
		d.write("ringonce.yaml", "destinations: {allow: [\"+1\"]}\nserve: {listen: \""+taken.Addr().String()+"\"}\naccess: "+access+"\nledger:"+rest)
		if withKey {
			d.run(ExitOK, "access", "key", "add", "--producer", "crm")
		}
		_, told := d.run(want, "serve")
		if part := map[int]string{ExitUsage: "access.anonymous", ExitEnvironment: "is taken"}[want]; !strings.Contains(told, part) {
			t.Errorf("%s: %s", access, told)
		}
	}
}

func TestAServiceThatCouldNotWriteDownWhoDidWhatDoesNotStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	text, err := os.ReadFile(d.config)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "ledger:")
	_, after, _ := strings.Cut(rest, "\n")
	d.write("ringonce.yaml", before+"ledger: {driver: dynamodb, table: calls, region: us-east-1, endpoint: \"http://127.0.0.1:1\"}\n"+after)
	_, told := d.run(ExitUsage, "serve", "--listen", "127.0.0.1:0")
	says(t, told, "would have no audit log", "access.audit_dir")
}
