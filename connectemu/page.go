package connectemu

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
)

//go:embed page
var pageFiles embed.FS

// pageTemplates are the page and its part that is live.
var pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))

// pagePolicy lets the page load what the emulator itself serves and nothing else, and be framed by nobody.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// addPage adds the page for people to the management handler.
func (s *Server) addPage(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		s.showPage(w, http.StatusOK, pageForm{paused: r.URL.Query().Get("pause") != ""})
	})
	mux.HandleFunc("GET /page/live", s.streamPage)
	for _, file := range []struct{ name, kind string }{
		{"page.css", "text/css; charset=utf-8"}, {"page.js", "text/javascript; charset=utf-8"}, {"icon.svg", "image/svg+xml"},
	} {
		mux.HandleFunc("GET /page/"+file.name, func(w http.ResponseWriter, _ *http.Request) {
			content, err := pageFiles.ReadFile("page/" + file.name)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			pageHeaders(w, file.kind)
			_, _ = w.Write(content) // a client that has gone is no concern of the emulator
		})
	}
	for act, do := range pageActs {
		mux.HandleFunc("POST /page/"+act, func(w http.ResponseWriter, r *http.Request) { s.act(w, r, do) })
	}
}

func pageHeaders(w http.ResponseWriter, kind string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// pageForm is what the page shows that is not the emulator's state.
type pageForm struct {
	paused  bool
	problem string
	// plan is what somebody wrote and could not be used; nil means the plan at work.
	plan *string
}

func (s *Server) showPage(w http.ResponseWriter, status int, form pageForm) {
	view := s.pageView()
	view.Paused, view.Problem = form.paused, form.problem
	if form.paused {
		view.Pause = "1"
	}
	if form.plan != nil {
		view.Plan = *form.plan
	}
	var body bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&body, "page", view); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	pageHeaders(w, "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // a client that has gone is no concern of the emulator
}
