package postgres

import "golang.org/x/sys/unix"

// endWhenDead makes the system end a connection on which nothing was acknowledged for deadTime.
func endWhenDead(fd uintptr) error {
	return unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deadTime.Milliseconds()))
}
