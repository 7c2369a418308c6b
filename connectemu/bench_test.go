package connectemu_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

// BenchmarkStart is the hot path of a load test: a signed start without faults, each with a token of its own, no socket.
func BenchmarkStart(b *testing.B) {
	config := connectemu.Config{Clock: connectemu.NewManualClock(epoch), SignatureWindow: connectemu.Off}
	unpaced(&config)
	server, err := connectemu.New(config)
	if err != nil {
		b.Fatal(err)
	}
	bodies := make([]*http.Request, 0, 1000)
	for i := range cap(bodies) {
		body := strings.Replace(startBody, "{", `{"ClientToken":"`+strconv.Itoa(i)+`",`, 1)
		bodies = append(bodies, signRequest(b, http.MethodPut, "http://connect.test/contact/outbound-voice", body, epoch))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%len(bodies) == 0 {
			server.Reset()
		}
		r := bodies[i%len(bodies)]
		body, err := r.GetBody()
		if err != nil {
			b.Fatal(err)
		}
		r.Body = body
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, r)
		if recorder.Code != http.StatusOK {
			b.Fatalf("status %d: %s", recorder.Code, recorder.Body)
		}
		i++
	}
}
