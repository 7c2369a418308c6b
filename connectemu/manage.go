package connectemu

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// Management returns the handler behind which the emulator tells what it did and is told what to do. It speaks JSON and belongs on
// a listener of its own, because it is not part of the Connect API and asks nobody for credentials. Numbers appear in full: they
// are fictitious and the count per number is what the emulator is for.
//
//	GET  /                 a page for people, the only answer that is no JSON
//	GET  /rings            total, byNumber, byToken and the list in order; ?number=, ?token=, ?attribute=&value= restrict it
//	GET  /contacts         every contact as it is now
//	GET  /requests         the wire log, oldest first
//	POST /contacts/{id}/answer    pick the phone up
//	POST /contacts/{id}/hang-up   hang up, or decline a call that rings
//	GET  /flows            what flows reported and were told, oldest first
//	GET  /events           what became of contact events, oldest first
//	GET  /faults           the plan and how many requests and events each rule has met
//	PUT  /faults           {"plan": "place-then-reset nth=1"}
//	POST /reset            forget contacts, rings, tokens, rates and the wire log
//	GET  /clock            the time
//	POST /clock            {"advance": "72h"}; only when the clock is a Mover
//	GET  /config           the switches
//	PUT  /config           the switches to change; the others stay
//	GET  /phones           fates that were set by number
//	PUT  /phones/{number}  {"fate": "busy"}
//
// An error is {"error": "a sentence"} with status 400, or 409 for a clock that cannot be moved and a call that cannot be answered or ended. Requests that a browser makes on
// behalf of another site are refused.
func (s *Server) Management() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rings", s.manageRings)
	mux.HandleFunc("GET /contacts", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"contacts": s.Contacts()})
	})
	mux.HandleFunc("GET /requests", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"requests": s.Requests()})
	})
	mux.HandleFunc("POST /contacts/{id}/answer", s.manageHand((*Server).Answer))
	mux.HandleFunc("POST /contacts/{id}/hang-up", s.manageHand((*Server).HangUp))
	mux.HandleFunc("GET /flows", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"flows": s.FlowReports()})
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"events": s.Events()})
	})
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { s.answerFaults(w) })
	mux.HandleFunc("PUT /faults", s.manageFaults)
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		s.note("reset")
		answer(w, struct{}{})
	})
	mux.HandleFunc("GET /clock", func(w http.ResponseWriter, _ *http.Request) { s.answerClock(w) })
	mux.HandleFunc("POST /clock", s.manageClock)
	mux.HandleFunc("GET /config", func(w http.ResponseWriter, _ *http.Request) { s.answerSwitches(w) })
	mux.HandleFunc("PUT /config", s.manageConfig)
	mux.HandleFunc("GET /phones", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"phones": s.Phones()})
	})
	mux.HandleFunc("PUT /phones/{number}", s.managePhone)
	s.addPage(mux)
	return http.NewCrossOriginProtection().Handler(mux)
}

// ringReport is the answer to GET /rings.
type ringReport struct {
	Total    int            `json:"total"`
	ByNumber map[string]int `json:"byNumber"`
	ByToken  map[string]int `json:"byToken"`
	Rings    []Ring         `json:"rings"`
}

func (s *Server) manageRings(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	report := ringReport{ByNumber: map[string]int{}, ByToken: map[string]int{}, Rings: []Ring{}}
	for _, ring := range s.Rings() {
		if query.Has("number") && query.Get("number") != ring.Number || query.Has("token") && query.Get("token") != ring.Token {
			continue
		}
		if query.Has("attribute") {
			value, ok := ring.Attributes[query.Get("attribute")]
			if !ok || query.Has("value") && query.Get("value") != value {
				continue
			}
		}
		report.Rings = append(report.Rings, ring)
		report.ByNumber[ring.Number]++
		if ring.Token != "" {
			report.ByToken[ring.Token]++
		}
	}
	report.Total = len(report.Rings)
	answer(w, report)
}

func (s *Server) manageFaults(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Plan *string `json:"plan"`
	}
	if !readOrder(w, r, &order) {
		return
	}
	if order.Plan == nil {
		complain(w, http.StatusBadRequest, errors.New("plan is missing: send {\"plan\": \"place-then-reset nth=1\"}, or an empty text for no faults"))
		return
	}
	plan, err := ParsePlan(*order.Plan)
	if err == nil {
		err = s.SetPlan(plan)
	}
	if err != nil {
		complain(w, http.StatusBadRequest, err)
		return
	}
	s.note("fault plan replaced", slog.Int("rules", len(plan.Rules)))
	s.answerFaults(w)
}

func (s *Server) answerFaults(w http.ResponseWriter) {
	state := s.plan.Load()
	answer(w, map[string]any{"plan": state.plan.String(), "met": state.counts(), "metEvents": state.eventCounts()})
}

func (s *Server) manageClock(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Advance *Span `json:"advance"`
	}
	if !readOrder(w, r, &order) {
		return
	}
	if order.Advance == nil || *order.Advance < 0 {
		complain(w, http.StatusBadRequest, errors.New("advance is missing or negative: send {\"advance\": \"72h\"}"))
		return
	}
	clock, err := s.mover()
	if err != nil {
		complain(w, http.StatusConflict, err)
		return
	}
	clock.Advance(time.Duration(*order.Advance))
	s.note("clock moved", slog.Duration("by", time.Duration(*order.Advance)))
	s.answerClock(w)
}

func (s *Server) answerClock(w http.ResponseWriter) {
	_, err := s.mover()
	answer(w, map[string]any{"now": s.cfg.Load().Clock.Now().UTC().Format(time.RFC3339Nano), "movable": err == nil})
}

func (s *Server) managePhone(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Fate *Fate `json:"fate"`
	}
	if !readOrder(w, r, &order) {
		return
	}
	if order.Fate == nil {
		complain(w, http.StatusBadRequest, errors.New("fate is missing: send {\"fate\": \"busy\"}"))
		return
	}
	number := r.PathValue("number")
	if err := s.SetPhone(number, *order.Fate); err != nil {
		complain(w, http.StatusBadRequest, err)
		return
	}
	s.note("phone set", slog.String("number", maskNumber(number)), slog.String("fate", order.Fate.String()))
	answer(w, map[string]any{"number": number, "fate": *order.Fate})
}

// manageHand answers or hangs up the call that the path names.
func (s *Server) manageHand(act func(*Server, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if err := act(s, id); err != nil {
			complain(w, http.StatusConflict, err)
			return
		}
		contact, _ := s.Contact(id)
		answer(w, map[string]any{"contact": contact})
	}
}

// note logs an act of the management.
func (s *Server) note(what string, attrs ...slog.Attr) {
	s.cfg.Load().Logger.LogAttrs(s.closed, slog.LevelInfo, what, attrs...)
}

// readOrder decodes the body of a management request, unknown members refused. It answers the error itself and reports success.
func readOrder(w http.ResponseWriter, r *http.Request, order any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(order)
	if err == nil && decoder.More() {
		err = errors.New("there is more than one JSON value in the body")
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the body is empty: send a JSON object")
	}
	if err != nil {
		complain(w, http.StatusBadRequest, err)
		return false
	}
	return true
}

func complain(w http.ResponseWriter, status int, err error) {
	send(w, status, map[string]string{"error": err.Error()})
}

func answer(w http.ResponseWriter, value any) { send(w, http.StatusOK, value) }

func send(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has gone is no concern of the emulator
}
