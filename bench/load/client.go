package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// lane is a connection that is kept open. It reads no more of HTTP than it needs, so that the clients take little from the service.
type lane struct {
	conn net.Conn
	in   *bufio.Reader
	out  bytes.Buffer
	host string
}

func dial(ctx context.Context, address string) (*lane, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &lane{conn: conn, in: bufio.NewReader(conn), host: address}, nil
}

// phoneOf is the number that the call of a number goes to.
func phoneOf(n int) string { return fmt.Sprintf("+44770090%04d", n%1000) }

// answerTime is how long an answer may take before the measurement ends.
const answerTime = 30 * time.Second

// place asks for the call of a number and returns the status and, of a success, the answer.
func (l *lane) place(n int) (status int, answer []byte, err error) {
	body := fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-%d","destinationPhoneNumber":%q,"profile":"alert"}`, n, n, phoneOf(n))
	l.out.Reset()
	fmt.Fprintf(&l.out, "POST /v1/calls HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", l.host, len(body), body)
	if err := l.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return 0, nil, err
	}
	if _, err := l.conn.Write(l.out.Bytes()); err != nil {
		return 0, nil, err
	}
	return l.read()
}

func (l *lane) read() (status int, answer []byte, err error) {
	line, err := l.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, errors.New("the answer is no HTTP/1.1")
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length := -1
	for {
		if line, err = l.in.ReadSlice('\n'); err != nil {
			return 0, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
	}
	if length < 0 || length > 1<<20 {
		return 0, nil, errors.New("the answer has no length that can be read")
	}
	answer = make([]byte, length)
	_, err = io.ReadFull(l.in, answer)
	return status, answer, err
}
