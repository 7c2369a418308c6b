package connectemu

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// How much of each list the page shows, newest first; the rest is behind the JSON links.
const (
	pagePhones = 60
	pageRows   = 25
)

// pageView is what the page shows, all of one moment.
type pageView struct {
	Region, Account, Reading, Now string
	Movable, Sink                 bool
	Rings, Ringing, Answered      int
	// Twice is how many tokens rang more than once.
	Twice      int
	Phones     []phoneTile
	MorePhones int
	Contacts   []contactRow
	Tokens     []tokenRow
	Rules      []ruleRow
	Events     []eventRow
	Requests   []requestRow
	Fates      []string

	Paused               bool
	Pause, Problem, Plan string
}

// phoneTile is one number; State is ringing, answered or quiet.
type phoneTile struct {
	Number, State, Since, Fate, Last, Contact string
	Rings                                     int
}

type contactRow struct{ ID, Channel, Number, Began, State, Reason, Token, Name string }

type tokenRow struct {
	Token, Contact, State, Until string
	Rings                        int
}

type ruleRow struct {
	Text string
	Met  int
}

type eventRow struct{ Type, Contact, At, Outcome, Faults string }

type requestRow struct {
	Seq                                       uint64
	Operation, Number, Outcome, Answer, Fault string
}

const pageTime = "2006-01-02 15:04:05"

func (s *Server) pageView() pageView {
	cfg := s.cfg.Load()
	_, notMover := s.mover()
	v := pageView{
		Region: cfg.Region, Account: cfg.Account, Reading: cfg.Reading.String(), Movable: notMover == nil, Sink: cfg.EventSink != nil,
		Plan: strings.ReplaceAll(s.Plan().String(), "; ", "\n"), Rules: s.pageRules(),
	}
	for _, fate := range Fates() {
		v.Fates = append(v.Fates, fate.String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := cfg.Clock.Now()
	v.Now = now.UTC().Format(pageTime) + " UTC"
	v.Rings = len(s.rings)
	s.pagePhonesLocked(&v, now)
	for _, c := range slices.Backward(s.order) {
		if len(v.Contacts) == pageRows {
			break
		}
		v.Contacts = append(v.Contacts, pageContact(c.view(now)))
	}
	s.pageTokensLocked(&v, cfg, now)
	for _, e := range slices.Backward(s.events.log) {
		if len(v.Events) == pageRows {
			break
		}
		v.Events = append(v.Events, eventRow{string(e.Type), shortID(e.ContactID), e.At.UTC().Format(pageTime), string(e.Outcome), strings.Join(e.Faults, "; ")})
	}
	for _, q := range slices.Backward(s.wire.all()) {
		if len(v.Requests) == pageRows {
			break
		}
		v.Requests = append(v.Requests, requestRow{q.Seq, string(q.Operation), q.Number, string(q.Outcome), pageAnswer(q), q.Fault})
	}
	return v
}

// pagePhonesLocked adds the phones that rang, in the order of their first ring, and then those whose fate was set: a tile never moves.
func (s *Server) pagePhonesLocked(v *pageView, now time.Time) {
	shown := map[string]bool{}
	var numbers []string
	for _, c := range s.rings {
		if number := c.request.DestinationPhoneNumber; !shown[number] {
			shown[number] = true
			numbers = append(numbers, number)
		}
		switch {
		case c.ended(now):
		case c.answered(now):
			v.Answered++
		default:
			v.Ringing++
		}
	}
	var set []string
	for number := range s.phones {
		if !shown[number] {
			set = append(set, number)
		}
	}
	slices.Sort(set)
	numbers = append(numbers, set...)
	v.MorePhones = max(0, len(numbers)-pagePhones)
	for _, number := range numbers[:len(numbers)-v.MorePhones] {
		v.Phones = append(v.Phones, s.pagePhoneLocked(number, now))
	}
}

func (s *Server) pagePhoneLocked(number string, now time.Time) phoneTile {
	calls := s.byNumber[number]
	t := phoneTile{Number: number, State: "quiet", Fate: s.fateLocked(number).String(), Rings: len(calls)}
	for _, c := range slices.Backward(calls) {
		switch {
		case c.ended(now):
			if t.Last == "" {
				t.Last = orElse(c.reason, "ended without a reason")
			}
			continue
		case c.answered(now):
			t.State, t.Contact, t.Since = "answered", c.id, "for "+pageSpan(now.Sub(c.connected))
		default:
			t.State, t.Contact, t.Since = "ringing", c.id, "for "+pageSpan(now.Sub(c.initiated))
		}
		break
	}
	return t
}

func pageContact(c Contact) contactRow {
	reason := c.DisconnectReason
	if c.State == StateDisconnected && reason == "" {
		reason = "none"
	}
	return contactRow{c.ID, string(c.Channel), c.Number, c.InitiatedAt.UTC().Format(pageTime), string(c.State), reason, c.Token, c.Name}
}

func (s *Server) pageTokensLocked(v *pageView, cfg *Config, now time.Time) {
	for _, calls := range s.byToken {
		if len(calls) > 1 {
			v.Twice++
		}
	}
	seen := map[tokenKey]bool{}
	for _, e := range slices.Backward(s.tokens.oldest) {
		if len(v.Tokens) == pageRows || seen[e.key] || s.tokens.entries[e.key] != e {
			continue
		}
		seen[e.key] = true
		row := tokenRow{Token: e.key.token, State: "remembered", Until: e.created.Add(cfg.TokenValidity).UTC().Format(pageTime), Rings: len(s.byToken[e.key.token])}
		switch {
		case now.Sub(e.created) >= cfg.TokenValidity:
			row.State = "expired"
		case e.spent != nil:
			row.State = "spent: " + e.spent.code
		case e.contact == nil:
			row.State = "aging, without a contact"
		}
		if e.contact != nil {
			row.Contact = shortID(e.contact.id)
		}
		v.Tokens = append(v.Tokens, row)
	}
}

func (s *Server) pageRules() []ruleRow {
	state := s.plan.Load()
	var rows []ruleRow
	counts, eventCounts := state.counts(), state.eventCounts()
	for i := range state.plan.Rules {
		rows = append(rows, ruleRow{state.plan.Rules[i].String(), counts[i]})
	}
	for i := range state.plan.Events {
		rows = append(rows, ruleRow{state.plan.Events[i].String(), eventCounts[i]})
	}
	return rows
}

func pageAnswer(q Request) string {
	if q.Status == 0 {
		return "connection reset"
	}
	return strings.TrimSpace(strconv.Itoa(q.Status) + " " + q.Code)
}

// shortID is the beginning of an id, enough to tell contacts apart on a page.
func shortID(id string) string { return id[:min(8, len(id))] }

// pageSpan is a duration in whole seconds, so that the page changes once a second at most.
func pageSpan(d time.Duration) string { return max(0, d.Truncate(time.Second)).String() }
