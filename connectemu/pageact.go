package connectemu

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// pageActs are what the forms of the page do.
var pageActs = map[string]func(*Server, *http.Request) error{
	"answer":  func(s *Server, r *http.Request) error { return s.Answer(r.PostFormValue("id")) },
	"hang-up": func(s *Server, r *http.Request) error { return s.HangUp(r.PostFormValue("id")) },
	"plan": func(s *Server, r *http.Request) error {
		plan, err := ParsePlan(r.PostFormValue("plan"))
		if err == nil {
			err = s.SetPlan(plan)
		}
		return err
	},
	"phone": func(s *Server, r *http.Request) error {
		fate, err := ParseFate(r.PostFormValue("fate"))
		if err == nil {
			err = s.SetPhone(strings.TrimSpace(r.PostFormValue("number")), fate)
		}
		return err
	},
	"clock": func(s *Server, r *http.Request) error {
		by, err := time.ParseDuration(strings.TrimSpace(r.PostFormValue("advance")))
		if err != nil || by < 0 {
			return errors.New("the clock cannot be moved by this: write a duration such as 90s, 1h or 192h")
		}
		clock, err := s.mover()
		if err == nil {
			clock.Advance(by)
		}
		return err
	},
	"reset": func(s *Server, r *http.Request) error {
		if r.PostFormValue("sure") != "yes" {
			return errors.New("nothing was forgotten: tick the box first")
		}
		s.Reset()
		return nil
	},
}

// act does what a form asks for and goes back to the page. An order that cannot be carried out keeps what was written and says why;
// the page's script asks for the sentence alone.
func (s *Server) act(w http.ResponseWriter, r *http.Request, do func(*Server, *http.Request) error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseForm()
	if err == nil {
		err = do(s, r)
	}
	paused := r.PostFormValue("pause") != ""
	plain := r.Header.Get("Accept") == "text/plain"
	if err != nil {
		problem := strings.TrimPrefix(strings.TrimPrefix(err.Error(), ErrConfig.Error()+": "), "connectemu: ")
		if plain {
			http.Error(w, problem, http.StatusConflict)
			return
		}
		form := pageForm{paused: paused, problem: problem}
		if r.PostForm.Has("plan") {
			form.plan = new(r.PostFormValue("plan"))
		}
		s.showPage(w, http.StatusConflict, form)
		return
	}
	s.note("changed by the page", slog.String("act", strings.TrimPrefix(r.URL.Path, "/page/")))
	switch {
	case plain:
		w.WriteHeader(http.StatusNoContent)
	case paused:
		http.Redirect(w, r, "/?pause=1", http.StatusSeeOther)
	default:
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
}
