package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/problem"
)

// parameter is one that a query may have.
type parameter struct {
	name  string
	often bool // it is a list, each element a parameter of its own
}

// queries returns the parameters that the query of each operation may have, as the document has them.
var queries = sync.OnceValue(func() map[string][]parameter {
	d, err := parsed()
	if err != nil { // the document is part of the program, and [Routes] has read it before
		return nil
	}
	known := map[string][]parameter{}
	for _, methods := range d.Paths {
		for _, o := range methods {
			for _, p := range o.Parameters {
				if p.In == "query" {
					known[o.OperationID] = append(known[o.OperationID], parameter{p.Name, p.Schema.Type == "array"})
				}
			}
		}
	}
	return known
})

// asksKnown answers a look whose query has a parameter that the document does not know, or one twice: a filter that is misspelled and passed over would show the
// calls of others as its answer. Requests that change something are not held up by what a gateway adds to their address.
func (f *front) asksKnown(w http.ResponseWriter, r *http.Request, q *asked) bool {
	if r.Method != http.MethodGet || r.URL.RawQuery == "" {
		return true
	}
	detail := unknownIn(r.URL.RawQuery, queries()[q.op])
	if detail == "" {
		return true
	}
	var names []string
	for _, p := range queries()[q.op] {
		names = append(names, p.name)
	}
	fix := "Leave it out: this path knows no parameters."
	if len(names) > 0 {
		fix = "Use one of: " + strings.Join(names, ", ") + "."
	}
	f.reject(w, r, q, problem.New(http.StatusBadRequest, "bad_request", detail, fix))
	return false
}

// unknownIn says what is wrong with a query; empty when nothing is.
func unknownIn(text string, known []parameter) string {
	query, err := url.ParseQuery(text)
	if err != nil {
		return "The query of the address cannot be read."
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		i := slices.IndexFunc(known, func(p parameter) bool { return p.name == name })
		switch {
		case i < 0 && plainName.MatchString(name):
			return "The parameter " + name + " is not in the document."
		case i < 0:
			return "A parameter of the query is not in the document."
		case len(query[name]) > 1 && !known[i].often:
			return "The parameter " + name + " comes more than once."
		}
	}
	return ""
}

// plainName is a name that can be repeated in an answer: no number, and no text of somebody.
var plainName = regexp.MustCompile(`^[A-Za-z_-]{1,40}$`)
