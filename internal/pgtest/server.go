package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// startTime is how long a server may take until it answers; one on a busy machine takes seconds.
	startTime = time.Minute
	// stopTime is how long a server may take to stop before it is killed.
	stopTime = 20 * time.Second

	superuser = "postgres"
	password  = "not-a-secret"
	// Role is the user of the connection strings that Schema returns. It is no superuser and owns nothing but its schemas.
	Role = "ringonce"
)

// Server is a PostgreSQL server with a data directory of its own.
type Server struct {
	root, bin string
	port      string
	owner     *syscall.Credential // nil: this process's user
	schemas   atomic.Int64
	standby   bool

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{}
	output bytes.Buffer
}

// Start makes and starts a server that ends with the test. Its settings are those that a ledger demands: it syncs. PostgreSQL refuses to run as
// root, so root runs it as the user nobody.
func Start(t testing.TB) *Server {
	t.Helper()
	installed := programs(t)
	root, err := os.MkdirTemp("", "ringonce-pg-") //nolint:usetesting // the user that the server runs as must reach it
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	s := &Server{root: root, bin: filepath.Join(installed, "bin")}
	if os.Geteuid() == 0 {
		s.owner = nobody(t)
		s.bin = filepath.Join(root, "native", "bin")
		if err := tree(installed, filepath.Join(root, "native"), s.own); err != nil {
			t.Fatalf("start PostgreSQL: %v", err)
		}
	}
	if err := s.own(root); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	s.port = freePort(t)
	s.init(t)
	s.Run(t)
	t.Cleanup(func() { s.Stop(t) })
	s.Exec(t, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", Role, password))
	s.Exec(t, "CREATE DATABASE ringonce OWNER "+Role)
	return s
}

func nobody(t testing.TB) *syscall.Credential {
	t.Helper()
	who, err := user.Lookup("nobody")
	if err != nil {
		t.Fatalf("find a user for PostgreSQL: %v", err)
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		t.Fatalf("find a user for PostgreSQL: %v", err)
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		t.Fatalf("find a user for PostgreSQL: %v", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: true}
}

// own gives a file to the user that the server runs as.
func (s *Server) own(path string) error {
	if s.owner == nil {
		return nil
	}
	return os.Lchown(path, int(s.owner.Uid), int(s.owner.Gid))
}

// Data returns the data directory.
func (s *Server) Data() string { return filepath.Join(s.root, "data") }

// command prepares a program of PostgreSQL. It gets nothing of the environment.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.root
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + s.bin, "LD_LIBRARY_PATH=" + filepath.Join(s.bin, "..", "lib")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	return cmd
}

func (s *Server) init(t testing.TB) {
	t.Helper()
	secret := filepath.Join(s.root, "password")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o600); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	if err := s.own(secret); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	cmd := s.command("initdb", "--pgdata="+s.Data(), "--username="+superuser, "--pwfile="+secret, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}
}

// Run starts the server, after a Stop on the same port.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	cmd := s.command("postgres", "-D", s.Data(), "-p", s.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.root,
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "log_min_messages=warning")
	s.mu.Lock()
	s.output.Reset()
	s.cmd, s.ended = cmd, make(chan struct{})
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	s.mu.Unlock()
	if err := cmd.Start(); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	ready := "SELECT 1 / (1 - pg_is_in_recovery()::int)" // fails while a restore is under way
	if s.standby {
		ready = "SELECT 1"
	}
	ended := s.ended
	go func() {
		_ = cmd.Wait() // how it ended is in its output
		close(ended)
	}()
	for deadline := time.Now().Add(startTime); ; time.Sleep(50 * time.Millisecond) {
		err := s.try(context.WithoutCancel(t.Context()), ready)
		if err == nil {
			return
		}
		select {
		case <-ended:
			t.Fatalf("PostgreSQL ended: %v\n%s", err, s.output.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
	}
}

// Stop stops the server; a second time it does nothing.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	cmd, ended := s.cmd, s.ended
	s.cmd = nil
	s.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGINT) // fast: sessions are ended; a process that is gone is no error
	select {
	case <-ended:
	case <-time.After(stopTime):
		_ = cmd.Process.Kill()
		<-ended
	}
	if t.Failed() {
		text := s.output.String()
		t.Logf("PostgreSQL's last output:\n%s", text[max(0, len(text)-4000):])
	}
}

// Crash kills the server and its children without a word, as a power cut of its machine would but for the disk.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	cmd, ended := s.cmd, s.ended
	s.cmd = nil
	s.mu.Unlock()
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil { // immediate: no checkpoint, no goodbye
		t.Fatalf("crash PostgreSQL: %v", err)
	}
	<-ended
}

// CopyData copies the data directory of a stopped server, as a backup, and returns where the copy is.
func (s *Server) CopyData(t testing.TB) string {
	t.Helper()
	to := filepath.Join(s.root, "backup-"+strconv.FormatInt(s.schemas.Add(1), 10))
	if err := tree(s.Data(), to, s.own); err != nil {
		t.Fatalf("copy the data directory: %v", err)
	}
	return to
}

// PutData puts a copy in the place of the data directory of a stopped server. With newTimeline the server begins one, as after a restore from an
// archive or the promotion of a standby.
func (s *Server) PutData(t testing.TB, from string, newTimeline bool) {
	t.Helper()
	if err := os.RemoveAll(s.Data()); err != nil {
		t.Fatalf("put the data directory: %v", err)
	}
	if err := tree(from, s.Data(), s.own); err != nil {
		t.Fatalf("put the data directory: %v", err)
	}
	if newTimeline {
		s.put(t, "recovery.signal", "")
		s.put(t, "postgresql.auto.conf", "restore_command = 'false'\n")
	}
}

// Standby makes a stopped server one that waits for a primary for ever.
func (s *Server) Standby(t testing.TB) {
	t.Helper()
	s.put(t, "standby.signal", "")
	s.standby = true
}

// Follow makes a server of a copy of the data of primary, which is stopped for it and started again, that receives what primary writes. Its address is
// its own; Promote makes it a primary.
func (s *Server) Follow(t testing.TB) *Server {
	t.Helper()
	s.Stop(t)
	root := filepath.Join(s.root, "standby")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatalf("make a standby: %v", err)
	}
	standby := &Server{root: root, bin: s.bin, owner: s.owner, port: freePort(t)}
	err := errors.Join(s.own(root), tree(s.Data(), standby.Data(), s.own))
	s.Run(t)
	if err != nil {
		t.Fatalf("make a standby: %v", err)
	}
	standby.put(t, "postgresql.auto.conf", fmt.Sprintf("primary_conninfo = 'host=127.0.0.1 port=%s user=%s password=%s application_name=standby'\n", s.port, superuser, password))
	standby.Standby(t)
	standby.Run(t)
	t.Cleanup(func() { standby.Stop(t) })
	return standby
}

// Promote makes a standby a primary, by a checkpoint that takes its time, as PostgreSQL does.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.Exec(t, "SELECT 1 / pg_promote()::int")
	s.standby = false
}

// Move makes a stopped server listen on the port that another one had.
func (s *Server) Move(from *Server) { s.port = from.port }

// put writes a file into the data directory.
func (s *Server) put(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(s.Data(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
	if err := s.own(path); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return "127.0.0.1:" + s.port }

// Schema makes an empty schema of Role and returns its name; DSN leads to it.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	name := "ledger_" + strconv.FormatInt(s.schemas.Add(1), 10)
	s.Exec(t, "CREATE SCHEMA "+name+" AUTHORIZATION "+Role)
	return name
}

// DSN returns the connection string of a schema for Role; address may be that of a proxy, and empty is the server's own.
func (s *Server) DSN(schema, address string) string {
	if address == "" {
		address = s.Address()
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(Role, password), Host: address, Path: "/ringonce",
		RawQuery: url.Values{"sslmode": {"disable"}, "search_path": {schema}}.Encode(),
	}
	return u.String()
}

// Exec runs statements as superuser in the database of the ledgers.
func (s *Server) Exec(t testing.TB, text string) {
	t.Helper()
	if err := s.try(context.WithoutCancel(t.Context()), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func (s *Server) try(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, database := range []string{"ringonce", superuser} { // the first is made by the second
		u := url.URL{Scheme: "postgres", User: url.UserPassword(superuser, password), Host: s.Address(), Path: "/" + database, RawQuery: "sslmode=disable"}
		conn, err := pgx.Connect(ctx, u.String())
		if err != nil {
			if database == superuser {
				return err
			}
			continue
		}
		_, err = conn.PgConn().Exec(ctx, text).ReadAll()
		_ = conn.Close(ctx) // the answer is what counts
		return err
	}
	return nil
}

func freePort(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	return port
}
