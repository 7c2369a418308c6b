package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Routes returns the patterns of every operation as http.ServeMux writes them, such as "GET /v1/calls/{id}": names for logs and metrics, where a
// path would be an id. They are those of the document.
func Routes() ([]string, error) {
	d, err := parsed()
	if err != nil {
		return nil, fmt.Errorf("read the document of the API: %w", err)
	}
	routes := []string{"GET " + documentPath, "GET " + docsPath}
	for path, methods := range d.Paths {
		for method := range methods {
			routes = append(routes, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(routes)
	return slices.Compact(routes), nil
}

// Operations returns the ids of every operation, as [Act] names them.
func Operations() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(allowances)), opFlow)))
}
