package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// build builds the program as people run it.
func build(ctx context.Context, binary string) error {
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "github.com/ringonce/ringonce/cmd/ringonce").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// phone is an emulator on loopback.
type phone struct {
	emulator *connectemu.Server
	server   *http.Server
	url      string
}

func openPhone(ctx context.Context) (*phone, error) {
	emulator, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off})
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &phone{emulator: emulator, server: &http.Server{Handler: emulator, ReadHeaderTimeout: 5 * time.Second}, url: "http://" + listener.Addr().String()}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

func (p *phone) close() {
	p.emulator.Close()
	_ = p.server.Close()
}

const configuration = `
production: false
connect: {endpoint: %q}
ledger: %s
serve: {listen: "127.0.0.1:0", limits: {concurrent: %d}}
pacing: {patience: 500ms}
log: {level: error}
access: {audit_dir: %q}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`

// process is a service that runs.
type process struct {
	cmd     *exec.Cmd
	address string
}

// startTime is how long a service may take until it listens.
const startTime = 30 * time.Second

// start starts a service on the ledger of the run, old or new, that answers so many requests at once.
func start(ctx context.Context, s settings, dir, phone string, concurrent int) (*process, error) {
	ledger, err := ledgerIn(s, dir)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "ringonce.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, configuration, phone, ledger, concurrent, filepath.Join(dir, "audit")), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.binary, "--config", config, "serve") //nolint:gosec // the program that is measured
	cmd.Env, cmd.Stderr = []string{"AWS_REGION=us-east-1", "HOME=" + dir}, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = startTime
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd}
	late := time.AfterFunc(startTime, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if word := strings.Fields(lines.Text()); len(word) == 2 && word[0] == "api" {
			p.address = strings.TrimPrefix(word[1], "http://")
		}
		if p.address != "" && strings.Contains(lines.Text(), "rings ") { // the last line
			return p, nil
		}
	}
	return nil, errors.Join(errors.New("the service does not serve"), cmd.Wait())
}

// stop asks the service to end and waits for it.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// peak returns the most memory that the service had, in bytes; 0 where the system does not tell.
func (p *process) peak() int64 { return p.memory().high }

// spent returns the processor time that the service has used; 0 where the system does not tell.
func (p *process) spent() time.Duration {
	used, _ := ticks(p.cmd.Process.Pid)
	return used
}

// own returns the processor time of this process, which is that of the clients and of the emulator.
func own() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
