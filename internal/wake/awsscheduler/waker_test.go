package awsscheduler

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// hints returns how many hints are on their way.
func (k kept) hints() int { return len(k.messages) + len(k.order) }

// far is a due that becomes a schedule; near one that becomes a message.
const (
	near = 5 * time.Minute
	far  = 3 * time.Hour
)

func TestADueWithin15MinutesIsADelayedMessage(t *testing.T) {
	t.Parallel()
	for wait, delay := range map[time.Duration]float64{
		time.Millisecond: 1, time.Second: 1, time.Second + 1: 2, 90 * time.Second: 90, 899*time.Second + 1: 900, 15 * time.Minute: 900,
		0: 0, -time.Second: 0, -400 * 24 * time.Hour: 0,
	} {
		s := newService(t)
		if err := on(t, s).Wake(t.Context(), row, now.Add(wait)); err != nil {
			t.Fatal(err)
		}
		if s.seen().requests != 1 || len(s.seen().messages) != 1 {
			t.Fatalf("%s: %d requests, %d messages", wait, s.seen().requests, len(s.seen().messages))
		}
		got, _ := s.seen().messages[0]["DelaySeconds"].(float64)
		if got != delay || s.seen().messages[0]["QueueUrl"] != queueURL || len(s.seen().schedules) != 0 {
			t.Errorf("%s: delay %v, want %v: %v", wait, got, delay, s.seen().messages[0])
		}
	}
}

func TestADueBeyondIsAScheduleThatDeletesItself(t *testing.T) {
	t.Parallel()
	for wait, at := range map[time.Duration]string{
		15*time.Minute + 1:          "at(2026-11-29T03:15:01)",
		far:                         "at(2026-11-29T06:00:00)",
		far + time.Nanosecond:       "at(2026-11-29T06:00:01)",
		400 * 24 * time.Hour:        "at(2027-11-29T03:00:00)",
		time.Duration(1<<63 - 1):    "at(2027-11-29T03:00:00)",
		365*24*time.Hour - 1:        "at(2027-11-29T03:00:00)",
		24*time.Hour + far - 1:      "at(2026-11-30T06:00:00)",
		364*24*time.Hour + 3600*1e9: "at(2027-11-28T04:00:00)",
	} {
		s := newService(t)
		due := now.Add(wait).In(time.FixedZone("JST", 9*3600))
		if err := on(t, s).Wake(t.Context(), row, due); err != nil {
			t.Fatal(err)
		}
		if s.seen().requests != 1 || len(s.seen().order) != 1 || len(s.seen().messages) != 0 {
			t.Fatalf("%s: %d requests, %d schedules", wait, s.seen().requests, len(s.seen().order))
		}
		got := s.seen().order[0]
		target, _ := got["Target"].(map[string]any)
		window, _ := got["FlexibleTimeWindow"].(map[string]any)
		text, _ := target["Input"].(string)
		want, err := Document(row, due)
		if err != nil || got["ScheduleExpression"] != at || got["ScheduleExpressionTimezone"] != "UTC" || got["ActionAfterCompletion"] != "DELETE" ||
			window["Mode"] != "OFF" || got["GroupName"] != "default" || target["Arn"] != queueARN || target["RoleArn"] != roleARN || text != want {
			t.Errorf("%s: %v, want %s (%v)", wait, got, at, err)
		}
	}
}

func TestADueThatNoDocumentCanSayIsRefusedHere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if err := on(t, s).Wake(t.Context(), row, time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil || s.seen().requests != 0 {
		t.Errorf("%v after %d requests", err, s.seen().requests)
	}
}

var (
	scheduleName = regexp.MustCompile(`^[0-9a-zA-Z-_.]{1,64}$`)
	clientToken  = regexp.MustCompile(`^[a-zA-Z0-9-_]{1,64}$`)
)

func TestNamesAndTokensAreDerivedFromTheRowAndItsDue(t *testing.T) {
	t.Parallel()
	due := now.Add(far)
	one := planFor(row, due, now)
	if again := planFor(row, due.In(time.FixedZone("JST", 9*3600)), now.Add(time.Minute)); again != one {
		t.Errorf("the same hint has two schedules: %+v and %+v", one, again)
	}
	seen := map[string]bool{}
	for _, p := range []plan{one, planFor(row, due.Add(1), now), planFor(row, due.Add(-1), now), planFor(row[1:]+"x", due, now), planFor(row, due.Add(farthest), now)} {
		if !scheduleName.MatchString(p.name) || !clientToken.MatchString(p.token) || seen[p.name] || seen[p.token] || p.token == p.name {
			t.Errorf("%+v", p)
		}
		seen[p.name], seen[p.token] = true, true
	}
	// Frozen: another derivation would make a second schedule of each hint that is on its way.
	if want := (plan{"ringonce-" + frozenName, frozenToken, "at(2026-11-29T06:00:00)"}); one != want {
		t.Errorf("%+v", one)
	}
}

func TestTheDocumentIsWhatTheFunctionReads(t *testing.T) {
	t.Parallel()
	due := now.Add(far + 123456789)
	text, err := Document(row, due)
	if err != nil {
		t.Fatal(err)
	}
	r := envelope.Decode([]byte(text), envelope.Options{Now: now}).Records[0]
	if !r.IsWake() || r.Wake.Call != row || !r.Wake.Due.Equal(due) {
		t.Errorf("%s is read as %s %s %+v", text, r.Verdict, r.Reason, r.Wake)
	}
}

// each effect fails in two ways, and its refusals in others.
func TestAHintSurvivesEachFailureOfEitherService(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fates              []fate
		requests           int
		messages, planned  int
		failed, failedPlan bool
	}{
		"answered":                    {nil, 1, 1, 1, false, false},
		"not applied":                 {[]fate{lostBefore}, 2, 1, 1, false, false},
		"applied, answer lost":        {[]fate{lostAfter}, 2, 2, 1, false, false}, // the second schedule is a conflict
		"throttled":                   {[]fate{throttled}, 2, 1, 1, false, false},
		"throttled twice":             {[]fate{throttled, throttled}, 3, 1, 1, false, false},
		"throttled for long":          {[]fate{throttled, throttled, throttled, throttled}, 3, 0, 0, true, true},
		"500 after it was applied":    {[]fate{broken}, 2, 2, 1, false, false},
		"never answered, all applied": {[]fate{lostAfter, lostAfter, lostAfter}, 3, 3, 1, true, true},
		"denied":                      {[]fate{denied}, 1, 0, 0, true, true},
	} {
		for wait, planned := range map[time.Duration]bool{near: false, far: true} {
			s := newService(t, c.fates...)
			err := on(t, s).Wake(t.Context(), row, now.Add(wait))
			want, failed := c.messages, c.failed
			if planned {
				want, failed = c.planned, c.failedPlan
			}
			if s.seen().requests != c.requests || s.seen().hints() != want || (err != nil) != failed {
				t.Errorf("%s, %s: %d requests, %d hints, %v; want %d, %d", name, wait, s.seen().requests, s.seen().hints(), err, c.requests, want)
			}
		}
	}
}

func TestAScheduleThatExistsIsDone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := on(t, s)
	for range 3 {
		if err := w.Wake(t.Context(), row, now.Add(far)); err != nil {
			t.Error(err)
		}
	}
	if len(s.seen().schedules) != 1 || s.seen().requests != 3 {
		t.Errorf("%d schedules after %d requests", len(s.seen().schedules), s.seen().requests)
	}
}

func TestWithoutARoleTheLongestDelayStandsForASchedule(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := on(t, s, func(o *Options) { o.RoleARN, o.QueueARN = "", "" })
	if err := w.Wake(t.Context(), row, now.Add(far)); err != nil || len(s.seen().messages) != 1 || s.seen().messages[0]["DelaySeconds"] != 900.0 {
		t.Errorf("%v: %v", err, s.seen().messages)
	}
	text, _ := s.seen().messages[0]["MessageBody"].(string)
	if !strings.Contains(text, now.Add(far).Format(time.RFC3339)) {
		t.Errorf("the hint forgot its due: %s", text)
	}
}

func TestPausesGrowAndAreSpread(t *testing.T) {
	t.Parallel()
	c := &clock{now: now}
	s := newService(t, throttled, throttled)
	w := on(t, s, func(o *Options) { o.Clock, o.Random = c, strings.NewReader("\x00\xff") })
	if err := w.Wake(t.Context(), row, now.Add(near)); err != nil {
		t.Fatal(err)
	}
	if len(c.slept) != 2 || c.slept[0] != 25*time.Millisecond || c.slept[1] <= 145*time.Millisecond || c.slept[1] > 150*time.Millisecond {
		t.Errorf("paused %v", c.slept)
	}
}

// hanging takes a request and never answers.
type hanging struct{ requests int }

// Do implements HTTPClient.
func (h *hanging) Do(r *http.Request) (*http.Response, error) {
	h.requests++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAServiceThatHangsDelaysForABoundedTime(t *testing.T) {
	t.Parallel()
	for wait := range map[time.Duration]bool{near: true, far: true} {
		for limit, most := range map[time.Duration]time.Duration{0: wakeTime, 300 * time.Millisecond: 300 * time.Millisecond} {
			synctest.Test(t, func(t *testing.T) {
				h := &hanging{}
				o := options()
				o.HTTPClient = h
				w, err := New(o)
				if err != nil {
					t.Fatal(err)
				}
				ctx := t.Context()
				if limit > 0 {
					limited, cancel := context.WithTimeout(ctx, limit)
					defer cancel()
					ctx = limited
				}
				began := time.Now()
				err = w.Wake(ctx, row, now.Add(wait))
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > most || h.requests == 0 {
					t.Errorf("%v after %s and %d requests", err, took, h.requests)
				}
			})
		}
	}
}

func TestASettingThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*Options){
		"wake.queue_url": func(o *Options) { o.QueueURL = "" },
		"wake.queue_arn": func(o *Options) { o.QueueARN = "" },
		"wake.region":    func(o *Options) { o.Region = "" },
		"wake":           func(o *Options) { o.Random = nil },
	} {
		o := options()
		change(&o)
		_, err := New(o)
		if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != field || refused.Code != call.CodeConfiguration || refused.Fix == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// The derivation, computed by another implementation (Python's hashlib).
const (
	frozenName  = "21906ac17456900e8d5abda6cf56f4a25869fd78ef709a72"
	frozenToken = "9b4813027529bea9f233fec506222b66e40efbe83081d4f069db65477a72aa46"
)
