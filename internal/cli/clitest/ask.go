package clitest

import (
	"io"
	"net/http"
	"regexp"
	"strconv"

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
	request, err := http.NewRequest(args[0], at[1]+args[1], http.NoBody)
	ts.Check(err)
	client := &http.Client{Timeout: patience}
	response, err := client.Do(request)
	ts.Check(err)
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	ts.Check(response.Body.Close())
	_, err = ts.Stdout().Write(body)
	ts.Check(err)
	if response.StatusCode != want {
		ts.Fatalf("%s %s was answered %d, not %d: %s", args[0], args[1], response.StatusCode, want, body)
	}
}
