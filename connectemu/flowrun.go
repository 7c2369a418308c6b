package connectemu

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// flowState is the running flows of all contacts and what they reported.
type flowState struct {
	running []*flow
	reports []FlowReport
	keys    map[string]string // by number
	wake    context.CancelFunc
}

// flow is the flow of one contact, which began when the call was answered.
type flow struct {
	contact *contact
	keys    string // that are still to be pressed
	step    int    // reports so far
	busy    bool   // its function is being invoked
}

// due is when the flow reports next. ok is false while nobody has picked up, and after the end.
func (f *flow) due() (at time.Time, ok bool) {
	c := f.contact
	if c.connected.IsZero() || f.busy || (f.step > 0 && f.keys == "") {
		return time.Time{}, false
	}
	at = c.connected.Add(time.Duration(f.step) * flowKeyTime)
	return at, at.Before(c.disconnected)
}

// beginFlowLocked lets the flow of a new call run, when there is a function that it invokes.
func (s *Server) beginFlowLocked(cfg *Config, c *contact) {
	if cfg.FlowFunction == nil || c.channel != ChannelVoice {
		return
	}
	s.flows.running = append(s.flows.running, &flow{contact: c, keys: s.flows.keys[c.request.DestinationPhoneNumber]})
	s.flows.wakeLocked()
}

func (f *flowState) wakeLocked() {
	if f.wake != nil {
		f.wake()
	}
}

// RunFlows invokes Config.FlowFunction for the flow of each call as its time comes, until ctx ends, and returns the error of ctx. [Serve] runs
// it when there is a function.
func (s *Server) RunFlows(ctx context.Context) error {
	if s.cfg.Load().FlowFunction == nil {
		return fmt.Errorf("%w: FlowFunction is nil: there is nothing that a flow could invoke", ErrConfig)
	}
	for ctx.Err() == nil {
		if s.StepFlows(ctx) == 0 {
			s.awaitFlow(ctx)
		}
	}
	return ctx.Err()
}

// awaitFlow sleeps until a flow reports next or a call begins.
func (s *Server) awaitFlow(ctx context.Context) {
	cfg := s.cfg.Load()
	sleep, wake := context.WithCancel(ctx)
	defer wake()
	s.mu.Lock()
	next, found := s.nextFlowLocked()
	s.flows.wake = wake
	s.mu.Unlock()
	if found == nil {
		<-sleep.Done()
		return
	}
	_ = cfg.Clock.Sleep(sleep, next.Sub(cfg.Clock.Now())) // woken early is as good as in time: the caller looks again
}

// StepFlows runs the flows as far as the clock has come and returns how many reports that were: for tests and programs that move the clock
// themselves. A report that comes late, because the clock was moved far, is made all the same; it cannot end a contact that has ended.
func (s *Server) StepFlows(ctx context.Context) (reports int) {
	cfg := s.cfg.Load()
	if cfg.FlowFunction == nil {
		return 0
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		at, f := s.nextFlowLocked()
		if f == nil || at.After(cfg.Clock.Now()) {
			s.mu.Unlock()
			return reports
		}
		f.busy = true
		view, key := f.contact.view(cfg.Clock.Now()), ""
		if f.step > 0 {
			key = f.keys[:1]
		}
		s.mu.Unlock()
		report := s.report(ctx, cfg, view, key)
		s.mu.Lock()
		s.reportedLocked(cfg, f, report)
		s.mu.Unlock()
		reports++
	}
	return reports
}

// nextFlowLocked returns the flow that reports first, and forgets those of calls that are over.
func (s *Server) nextFlowLocked() (next time.Time, first *flow) {
	now := s.cfg.Load().Clock.Now()
	live := s.flows.running[:0]
	for _, f := range s.flows.running {
		at, ok := f.due()
		if ok && (first == nil || at.Before(next)) {
			next, first = at, f
		}
		waits := f.step == 0 && !f.contact.ended(now) // for somebody to pick up
		if ok || f.busy || waits {
			live = append(live, f)
		}
	}
	clear(s.flows.running[len(live):])
	s.flows.running = live
	return next, first
}

// report invokes the function as the block does; with Config.FlowTwice it does so once more, as after an answer that was lost.
func (s *Server) report(ctx context.Context, cfg *Config, c Contact, key string) FlowReport {
	report := FlowReport{At: cfg.Clock.Now(), ContactID: c.ID, Report: FlowCheckIn, Key: key}
	parameters := map[string]string{"ringonce": FlowCheckIn}
	if key != "" {
		report.Report = FlowPressed
		parameters = map[string]string{"ringonce": FlowPressed, "key": key}
		switch key {
		case "1":
			parameters["confirms"] = "yes"
		case "9":
			parameters["opts_out"] = "yes"
		}
	}
	document, err := flowDocument(cfg, c, parameters)
	if err != nil {
		report.Error = err.Error()
		return report
	}
	ctx, end := context.WithTimeout(ctx, flowPatience)
	defer end()
	again := cfg.FlowTwice
	for range flowTries {
		report.Invocations++
		report.Answer, err = invoke(ctx, cfg.FlowFunction, document)
		if report.Error = ""; err != nil {
			report.Error = err.Error()
		}
		if (err == nil && !again) || ctx.Err() != nil {
			break
		}
		again = false
	}
	return report
}

// maxFlowAnswer is how much a function may answer (Administrator Guide, "Verify the function response": 32 KB).
const maxFlowAnswer = 32 << 10

// invoke reads the answer as a flow does whose response validation is STRING_MAP.
func invoke(ctx context.Context, f FlowFunction, document []byte) (answer map[string]string, err error) {
	content, err := f(ctx, document)
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxFlowAnswer:
		return nil, fmt.Errorf("the function answered %d bytes, and a flow takes %d", len(content), maxFlowAnswer)
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return nil, fmt.Errorf("the function's answer is no flat object of texts: %w", err)
	}
	return answer, nil
}

// reportedLocked goes on with a flow after its report. Only the word no hangs up: on every other answer, and without one, the message is played.
func (s *Server) reportedLocked(cfg *Config, f *flow, report FlowReport) {
	f.busy = false
	if f.step > 0 {
		f.keys = f.keys[1:]
	}
	f.step++
	c, now := f.contact, cfg.Clock.Now()
	if report.Report == FlowCheckIn {
		report.HungUp = report.Answer["wanted"] == "no"
		report.Played = !report.HungUp
	}
	if report.HungUp {
		f.keys = ""
		if !c.ended(now) {
			s.happenLocked(cfg, now)
			c.reason, c.disconnected = reasonFlow, now
			s.planEventsLocked(c)
			s.activeLocked(c.request.InstanceID, c.channel).release(c)
		}
	}
	s.flows.reports = append(s.flows.reports, report)
	cfg.Logger.LogAttrs(context.Background(), slog.LevelDebug, "flow reported", slog.String("report", report.Report), slog.String("contactId", report.ContactID),
		slog.String("wanted", report.Answer["wanted"]), slog.String("error", report.Error))
}

func checkKeys(number, keys string) error {
	if !isE164(number) {
		return fmt.Errorf("%w: the keys of phone %s: its number is not E.164: write + and up to 15 digits", ErrConfig, maskNumber(number))
	}
	if strings.Trim(keys, "0123456789*#") != "" {
		return fmt.Errorf("%w: the keys of phone %s: use 0 to 9, * and #", ErrConfig, maskNumber(number))
	}
	return nil
}
