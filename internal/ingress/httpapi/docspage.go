package httpapi

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/problem"
)

//go:embed openapi.yaml
var document []byte

//go:embed docs.html
var docsTemplate string

// The paths of the document and of its page.
const (
	documentPath = "/openapi.yaml"
	docsPath     = "/docs"
)

// Public reports whether a request only reads the document or its page. They are the same in every installation and tell nothing of this one, and neither a
// browser nor a generator of clients can send a credential; so nobody needs to be asked who they are before.
func Public(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.URL.Path == documentPath || r.URL.Path == docsPath)
}

// Document is the API's document as /openapi.yaml serves it.
func Document() []byte { return bytes.Clone(document) }

// The parts of the document that the page shows.
type (
	docs struct {
		Info struct {
			Title, Version, Summary, Description string
		}
		Problems   []docProblem `yaml:"x-problems"` // of every operation
		Paths      map[string]map[string]docOperation
		Components struct {
			Parameters map[string]docParameter
			Schemas    map[string]docSchema
		}
	}
	docOperation struct {
		OperationID string         `yaml:"operationId"`
		Summary     string         `yaml:"summary"`
		Description string         `yaml:"description"`
		Parameters  []docParameter `yaml:"parameters"`
		Problems    []docProblem   `yaml:"x-problems"`
	}
	docParameter struct {
		Ref         string `yaml:"$ref"`
		Name        string `yaml:"name"`
		In          string `yaml:"in"`
		Description string `yaml:"description"`
		Schema      struct {
			Type any `yaml:"type"`
		} `yaml:"schema"`
	}
	docProblem struct {
		Status int    `yaml:"status"`
		Code   string `yaml:"code"`
		When   string `yaml:"when"`
	}
	docSchema struct {
		Description string               `yaml:"description"`
		Required    []string             `yaml:"required"`
		Properties  map[string]docMember `yaml:"properties"`
		Enum        []any                `yaml:"enum"`
	}
	docMember struct {
		Description string `yaml:"description"`
		Ref         string `yaml:"$ref"`
		Type        any    `yaml:"type"`
		Enum        []any  `yaml:"enum"`
	}
	// docEntry is one operation where the page shows it.
	docEntry struct {
		docOperation

		Method, Path string
		Producers    bool
		Role         string
	}
)

// parsed is the document, read once, with each parameter where it is referred to. Nobody changes it.
var parsed = sync.OnceValues(func() (d docs, err error) {
	err = yaml.Unmarshal(document, &d)
	for _, methods := range d.Paths {
		for _, o := range methods {
			for i, p := range o.Parameters {
				if p.Ref != "" {
					o.Parameters[i] = d.Components.Parameters[afterSlash(p.Ref)]
				}
			}
		}
	}
	return d, err
})

// renderDocs makes the page of /docs from the document.
func renderDocs() ([]byte, error) {
	d, err := parsed()
	if err != nil {
		return nil, err
	}
	var entries []docEntry
	for path, methods := range d.Paths {
		for method, o := range methods {
			allowed := allowances[o.OperationID]
			entries = append(entries, docEntry{o, strings.ToUpper(method), path, allowed.producers, string(allowed.least)})
		}
	}
	slices.SortFunc(entries, func(a, b docEntry) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	page, err := template.New("docs").Funcs(template.FuncMap{"last": afterSlash}).Parse(docsTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]any{"Info": d.Info, "Problems": d.Problems, "Operations": entries, "Schemas": d.Components.Schemas})
	return b.Bytes(), err
}

// docsPage serves the page, which is made when it is first asked for: that takes longer than everything else of the API's start.
func (a *api) docsPage() http.HandlerFunc {
	render := sync.OnceValues(renderDocs)
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := render()
		if err != nil {
			a.Observer.Decided(r.Context(), call.Decided{What: "unanswered", Reason: err.Error(), Source: call.SourceHTTP, Alarm: true})
			problem.Write(w, problem.Of(http.StatusInternalServerError, nil))
			return
		}
		static("text/html; charset=utf-8", page)(w, r)
	}
}

func afterSlash(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// static serves bytes that never change while the process runs. The page loads nothing and runs nothing.
func static(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(content)
	}
}
