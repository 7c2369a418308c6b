package connectemu

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"
)

// delivery is how an answer leaves.
type delivery int

const (
	deliverWhole delivery = iota
	deliverHalf
	deliverReset
)

// reply is an answer before it is written.
type reply struct {
	status   int
	code     string
	html     bool
	body     []byte
	outcome  Outcome
	delivery delivery
}

// success is a 200 with value as JSON.
func success(outcome Outcome, value any) reply {
	body, err := json.Marshal(value)
	if err != nil {
		return failure(refuse(CodeInternal, "The answer could not be encoded."))
	}
	return reply{status: http.StatusOK, body: body, outcome: outcome}
}

// failure is an error in the form of the REST JSON protocol: the name in a header, the message in the body.
func failure(err *apiError) reply {
	body, marshalErr := json.Marshal(struct {
		Message string `json:"message"`
	}{err.message})
	if marshalErr != nil {
		body = []byte("{}")
	}
	return reply{status: err.status, code: err.code, body: body, outcome: OutcomeFailed}
}

// page is what a proxy in front of the service answers: HTML, no error name.
func page(status int) reply {
	text := strconv.Itoa(status) + " " + http.StatusText(status)
	return reply{
		status: status, html: true, outcome: OutcomeDropped,
		body: []byte("<html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>\n"),
	}
}

// write sends the reply, or as much of it as its delivery allows.
func (a reply) write(w http.ResponseWriter) {
	if a.delivery == deliverReset {
		reset(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if a.html {
		h.Set("Content-Type", "text/html")
	}
	if a.code != "" {
		h.Set("X-Amzn-Errortype", a.code)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	if a.delivery != deliverHalf {
		_, _ = w.Write(a.body) // a client that has gone is no concern of the emulator
		return
	}
	_, _ = w.Write(a.body[:len(a.body)/2])
	_ = http.NewResponseController(w).Flush() // without a flush the client sees a reset instead, which is no better
	panic(http.ErrAbortHandler)
}

// reset breaks the connection so that the client reads "connection reset by peer". A writer without a connection to take over gets
// http.ErrAbortHandler, which the server turns into a closed connection.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if c, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0) // without it the client reads EOF, which is ambiguous too
	}
	closeConn(conn)
}

func closeConn(conn net.Conn) {
	_ = conn.SetDeadline(time.Time{})
	_ = conn.Close()
}
