package postgres

import (
	"net"
	"strings"
	"syscall"
	"time"
)

const (
	// deadTime is how long a connection lives on whose other end acknowledges nothing: that of a host that died without a word. The server's own
	// tcp_user_timeout is of its end alone.
	deadTime = 15 * time.Second
	// pingTime is how long a connection that was idle may take to show that it lives, before another one is taken.
	pingTime = 5 * time.Second
	// dialTime bounds how long the server's machine may take to answer a new connection.
	dialTime = 10 * time.Second
)

// dialer makes the connections to a server. An idle one notices within deadTime and some seconds that the other end is gone, one on which something
// was sent within deadTime.
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         dialTime,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: deadTime / 3, Interval: deadTime / 3, Count: 3},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			var failed error
			err := raw.Control(func(fd uintptr) { failed = endWhenDead(fd) })
			if err == nil {
				err = failed
			}
			return err
		},
	}
}
