package clitest

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// served API addresses, as the service announces them.
var apiAddress = regexp.MustCompile(`(?m)^\s+api\s+(https?://\S+)$`)

func ask(ts *testscript.TestScript, neg bool, args []string) {
	s := stateOf(ts).served
	if neg || len(args) != 3 || s == nil {
		ts.Fatalf("usage, after serve: ask METHOD PATH STATUS")
	}
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	stdout, _, _ := s.printed()
	at := apiAddress.FindStringSubmatch(stdout)
	if at == nil {
		ts.Fatalf("the program did not say where its API is: %s", stdout)
	}
	status, body := exchange(ts, args[0], at[1]+args[1])
	for end := time.Now().Add(patience); status == http.StatusServiceUnavailable && status != want && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // a service that has just started is not ready before its first sweep
		status, body = exchange(ts, args[0], at[1]+args[1])
	}
	_, err = ts.Stdout().Write(body)
	ts.Check(err)
	if status != want {
		ts.Fatalf("%s %s was answered %d, not %d: %s", args[0], args[1], status, want, body)
	}
}

func exchange(ts *testscript.TestScript, method, address string) (status int, body []byte) {
	request, err := http.NewRequest(method, address, http.NoBody)
	ts.Check(err)
	client := &http.Client{Timeout: patience}
	response, err := client.Do(request)
	ts.Check(err)
	body, err = io.ReadAll(response.Body)
	ts.Check(err)
	ts.Check(response.Body.Close())
	return response.StatusCode, body
}
