package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trickle begins a request for a call whose body never ends, and leaves it.
func (s *served) trickle(bearer string) net.Conn {
	s.t.Helper()
	return s.trickleTo("/v1/calls", bearer)
}

func (s *served) trickleTo(path, bearer string) net.Conn {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", path, host, bearer); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// counts waits until so many requests are being answered and so many were told to come again, and reports whether that came.
func (s *served) counts(inFlight, rejected int) bool {
	s.t.Helper()
	want := []string{fmt.Sprintf("\nringonce_http_requests_in_flight %d\n", inFlight), fmt.Sprintf("\nringonce_http_overload_rejected_total %d\n", rejected)}
	for range 1000 {
		text := s.read("/metrics")
		if strings.Contains(text, want[0]) && strings.Contains(text, want[1]) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func (s *served) read(path string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func TestWhoTricklesTakesAShareOfTheServiceAndAnOperatorIsAnswered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.add(fmt.Sprintf("access: {keys_file: %q, flow_reporters: [flow]}\nserve: {limits: {concurrent: 8}}\n", filepath.Join(d.dir, "keys.json")))
	keys := map[string]string{}
	for name, args := range map[string][]string{
		"crm": {"--producer", "crm"}, "shop": {"--producer", "shop"}, "flow": {"--producer", "flow"}, "kim": {"--operator", "--role", "operate", "--name", "kim"},
	} {
		key, _ := d.run(ExitOK, append([]string{"access", "key", "add"}, args...)...)
		keys[name] = strings.TrimSpace(key)
	}
	s := d.serve()
	var held []net.Conn
	for range 8 {
		held = append(held, s.trickle(keys["crm"]))
	}
	if !s.counts(4, 4) { // half of serve.limits.concurrent
		t.Errorf("one producer is not held to its share")
	}
	if status, body := s.place(1, "Authorization", "Bearer "+keys["crm"]); status != http.StatusServiceUnavailable || !strings.Contains(body, `"code":"too_many_in_flight"`) {
		t.Errorf("beyond its share: %d %s", status, body)
	}
	if status, body := s.place(2, "Authorization", "Bearer "+keys["shop"]); status >= 300 {
		t.Errorf("another producer beside it: %d %s", status, body)
	}
	for range 8 {
		held = append(held, s.trickle(keys["shop"]))
	}
	if !s.counts(6, 11) { // all but the places of reporters and the reserve of operators
		t.Errorf("producers take more than theirs")
	}
	if status, body := s.place(3, "Authorization", "Bearer "+keys["shop"]); status != http.StatusServiceUnavailable || !strings.Contains(body, `"code":"overloaded"`) {
		t.Errorf("when producers hold all they may: %d %s", status, body)
	}
	for range 8 {
		held = append(held, s.trickleTo("/v1/flow-reports", keys["flow"]))
	}
	if !s.counts(7, 19) { // one that reports has a place that producers have not, and no more
		t.Errorf("a reporter takes the reserve of operators")
	}
	if status := s.send(http.MethodPost, "/v1/pauses", keys["kim"], `{"target":"all","reason":"a flood"}`); status != http.StatusOK {
		t.Errorf("an operator who pauses is answered %d", status)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	if !s.counts(0, 19) {
		t.Errorf("places were not given back")
	}
	for n := range 8 {
		if status, body := s.place(10+n, "Authorization", "Bearer "+keys["crm"]); status >= 300 {
			t.Errorf("afterwards: %d %s", status, body)
		}
	}
}
