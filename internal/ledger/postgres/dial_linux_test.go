package postgres

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/secret"
)

// option returns a setting of a connection's socket.
func option(t *testing.T, conn net.Conn, level, name int) int {
	t.Helper()
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("a connection of type %T", conn)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	value := 0
	if failed := raw.Control(func(fd uintptr) { value, err = unix.GetsockoptInt(int(fd), level, name) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	return value
}

// A host that died without a word acknowledges nothing: its connections end by this end's settings alone.
func TestAConnectionWhoseOtherEndDiedEndsBySettingsOfThisEnd(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	made, err := configure(Options{DSN: secret.New([]byte("postgres://u@127.0.0.1/d"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := made.ConnConfig.DialFunc(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for name, o := range map[string]struct{ level, name, want int }{
		"the time without an acknowledgment": {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 15000},
		"keepalive":                          {unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		"the idle time before it":            {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 5},
		"its interval":                       {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 5},
	} {
		if got := option(t, conn, o.level, o.name); got != o.want {
			t.Errorf("%s is %d, want %d", name, got, o.want)
		}
	}
}

func TestAnIdleConnectionShowsThatItLivesWithinSeconds(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]time.Duration{
		"postgres://u@127.0.0.1/d":                      pingTime,
		"postgres://u@127.0.0.1/d?pool_ping_timeout=1s": time.Second,
	} {
		made, err := configure(Options{DSN: secret.New([]byte(dsn))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if made.PingTimeout != want {
			t.Errorf("%s: %s, want %s", dsn, made.PingTimeout, want)
		}
	}
}

func TestASocketOfThisMachineIsDialedWithoutTheSettingsOfTCP(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/s"
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	conn, err := dialer().DialContext(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
