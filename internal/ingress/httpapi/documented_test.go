package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// told is what the document says of problems.
type told struct {
	Problems []map[string]any `yaml:"x-problems"` // of every operation
	Security []map[string]any
	Paths    map[string]map[string]struct {
		OperationID string           `yaml:"operationId"`
		Problems    []map[string]any `yaml:"x-problems"`
		RequestBody any              `yaml:"requestBody"`
		Responses   map[string]any
	}
	Components struct {
		SecuritySchemes map[string]struct{ Type, Scheme string } `yaml:"securitySchemes"`
	}
}

var document = sync.OnceValues(func() (told, error) {
	var d told
	err := yaml.Unmarshal(httpapi.Document(), &d)
	return d, err
})

// problems are the codes of each operation as "status code", with those of every one.
var problems = sync.OnceValue(func() map[string]map[string]bool {
	d, err := document()
	if err != nil {
		panic(err)
	}
	all := map[string]map[string]bool{}
	for _, methods := range d.Paths {
		for _, operation := range methods {
			codes := map[string]bool{}
			for _, p := range slices.Concat(d.Problems, operation.Problems) {
				codes[fmt.Sprint(p["status"], " ", p["code"])] = true
			}
			all[operation.OperationID] = codes
		}
	}
	return all
})

var router = sync.OnceValues(func() (*oas.Server, error) { return oas.NewServer(oas.UnimplementedHandler{}) })

// documented checks that what was answered is in the document: every problem that any test of this package meets.
func (w *world) documented(method, path string, a answer) {
	w.t.Helper()
	server, err := router()
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(path)
	if err != nil {
		return
	}
	route, found := server.FindPath(method, u)
	if !found {
		return // no operation: no_such_path, method_not_allowed
	}
	codes := problems()[route.OperationID()]
	if a.Status >= http.StatusBadRequest && !codes[fmt.Sprint(a.Status, " ", a.text("code"))] {
		w.t.Errorf("%s %s: %d %s is not among x-problems of %s", method, path, a.Status, a.text("code"), route.OperationID())
	}
	for i := range max(0, a.count("results")) {
		status, code := a.at("results", i, "status"), a.text("results", i, "problem", "code")
		if code != "" && !problems()["placeCall"][fmt.Sprint(status, " ", code)] {
			w.t.Errorf("an item of a batch: %v %s is not among x-problems of placeCall", status, code)
		}
	}
}

func TestTheDocumentListsTheStatusesOfItsProblems(t *testing.T) {
	t.Parallel()
	d, err := document()
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range d.Paths {
		for method, operation := range methods {
			var want []string
			for _, p := range slices.Concat(d.Problems, operation.Problems) {
				if len(p) != 3 || !strings.Contains(fmt.Sprint(p["when"]), " ") {
					t.Errorf("%s %s: a problem is cut off: %v", method, path, p) // a comma in a flow mapping
				}
				if status := fmt.Sprint(p["status"]); status != strconv.Itoa(http.StatusUnsupportedMediaType) || operation.RequestBody != nil {
					want = append(want, status)
				}
			}
			slices.Sort(want)
			got := slices.DeleteFunc(slices.Sorted(maps.Keys(operation.Responses)), func(status string) bool { return status < "400" })
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Errorf("%s %s lists %v and its problems have %v", method, path, got, want)
			}
		}
	}
}

func TestTheDocumentSaysHowToShowWhoAsks(t *testing.T) {
	t.Parallel()
	d, err := document()
	if err != nil {
		t.Fatal(err)
	}
	bearer, certificate := d.Components.SecuritySchemes["bearer"], d.Components.SecuritySchemes["clientCertificate"]
	if bearer.Type != "http" || bearer.Scheme != "bearer" || certificate.Type != "mutualTLS" || len(d.Security) != 2 || d.Security[0]["bearer"] == nil || d.Security[1]["clientCertificate"] == nil {
		t.Errorf("%+v %+v", d.Security, d.Components.SecuritySchemes)
	}
}
