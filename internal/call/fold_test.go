package call

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// machine drives one row through random acts, as several workers with their own clocks might, and keeps its history.
type machine struct {
	now     time.Time
	row     Call
	entries []Entry
	attempt int
	ops     int
	contact string
	profile Profile
}

func (m *machine) write(t *rapid.T, event Event) {
	if m.row.IsForgotten() {
		event = event.withoutWords()
	}
	m.ops++
	w, err := m.row.Write(event, fmt.Sprintf("op-%d", m.ops))
	if err != nil {
		t.Fatal(err)
	}
	if breaches := CheckWrite(m.row, event, w.Row); len(breaches) > 0 {
		t.Fatalf("%s on %s: %v", event.Kind, m.row.State, breaches)
	}
	stored, err := w.Row.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeCall(stored)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Encode(); err != nil || string(again) != string(stored) {
		t.Fatalf("decoding loses something: %s, then %s (%v)", stored, again, err)
	}
	m.row, m.entries = back, append(m.entries, w.Entry)
}

func (m *machine) begin(t *rapid.T) {
	m.now, m.row, m.contact = noon, Begin("row"), "contact"
	m.profile = Profile{
		Resend:      rapid.SampledFrom([]Resend{ResendToken, ResendEvidence, ResendNever}).Draw(t, "resend"),
		MaxAttempts: rapid.IntRange(0, 4).Draw(t, "attempts"),
		Window:      Window{For: day},
	}.WithDefaults()
	o := &Opening{Key: article(), Cause: CauseRequest, Fingerprint: "f", Destination: "+12025550100", Token: "t", RequestedAt: noon, Tier: TierPayload}
	if rapid.Bool().Draw(t, "limited") {
		o.NotAfter = noon.Add(time.Duration(rapid.IntRange(1, 10_000).Draw(t, "minutes")) * time.Minute)
	}
	if rapid.Bool().Draw(t, "attributes") {
		o.Attributes = map[string]string{"name": "山田 😀", "tag": "<b>"}
	}
	event := Event{Kind: EventAccepted, At: m.now, Opening: o, Due: m.now, Delivery: &Arrival{Source: SourceSQS, ID: "m"}}
	switch rapid.IntRange(0, 3).Draw(t, "opening") {
	case 0:
		event = Event{Kind: EventTombstone, At: m.now, Before: m.now, Code: codeCanceled, Opening: &Opening{Key: article(), Cause: CauseRequest}}
	case 1:
		intent := Intent(m.row.Apply(event), m.id(), []byte("body"), Target{Region: "r"}, m.now, "")
		event.Attempt, event.Signed, event.Pin, event.body, event.Target = intent.Attempt, intent.Signed, intent.Pin, intent.body, intent.Target
	}
	m.write(t, event)
}

func (m *machine) id() string {
	m.attempt++
	return fmt.Sprintf("a%d", m.attempt)
}

// decide does what Decide allows, as Engine.step does.
func (m *machine) decide(t *rapid.T) {
	claim := Decide(m.row, m.profile, m.now)
	switch claim.Step {
	case StepNothing:
	case StepLater:
		if !claim.Due.Equal(m.row.Due) {
			m.write(t, Event{Kind: EventHeld, At: m.now, Due: claim.Due, Reason: claim.Why})
		}
	case StepWrite:
		m.write(t, claim.Event)
	case StepDescribe: // no row of the machine is tracked
	case StepLook:
		m.write(t, Looked(m.row, m.now, ""))
	case StepSend:
		m.write(t, Intent(m.row, m.id(), []byte("body"), Target{Region: "r"}, m.now, ""))
	case StepNext:
		m.next(t, Child{Cause: claim.Cause})
	case StepFollow:
		m.write(t, Event{Kind: EventFollowed, At: m.now, Followup: FollowedNothing})
	}
}

func (m *machine) next(t *rapid.T, child Child) {
	if event, err := OpenNext(m.row, m.row, m.row.LastRing, child, m.now, "ann"); err == nil && m.row.LastRing == 0 {
		m.write(t, event)
	}
}

// answer reports what one attempt was answered, in order or late.
func (m *machine) answer(t *rapid.T) {
	if len(m.row.Open) == 0 {
		return
	}
	a := Answer{Class: rapid.SampledFrom([]Class{ClassOK, ClassAmbiguous, ClassRefusedRequest, ClassRefusedSetup, ClassThrottled, ClassNotSent}).Draw(t, "class"), Code: "code"}
	if a.Class == ClassOK {
		a.ContactID = m.contact
	}
	which := rapid.IntRange(0, len(m.row.Open)-1).Draw(t, "attempt")
	m.write(t, Result(m.row, m.row.Open[which].ID, a, m.profile, m.now, 0.5))
}

func TestARowIsTheFoldOfItsHistoryUnderRandomActs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{}
		m.begin(t)
		t.Repeat(map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{1, 5, 61, 1900, 90_000, 200_000}).Draw(t, "seconds")) * time.Second)
			},
			"decide": m.decide,
			"answer": m.answer,
			"contact": func(t *rapid.T) {
				if len(m.row.Open) > 0 && !m.row.knows(m.contact) {
					m.write(t, Event{Kind: EventContact, At: m.now, ContactID: m.contact, From: "event", Initiated: m.now.Add(-time.Second)})
				}
			},
			"cancel": func(t *rapid.T) {
				if event, news := CancelEvent(m.row, m.now.Add(-time.Minute), m.now, nil); news {
					m.write(t, event)
				}
			},
			"attach": func(t *rapid.T) {
				if m.row.Tombstone && !m.row.IsForgotten() {
					m.write(t, Event{Kind: EventBodyAttached, At: m.now, Opening: &Opening{Fingerprint: "f", Token: "t"}})
				}
			},
			"re-call": func(t *rapid.T) {
				m.next(t, Child{Cause: CauseOperator, Reason: "again", RequestedAt: m.now, Tier: TierPayload})
			},
			"confirm": func(t *rapid.T) {
				if m.row.Next != nil {
					m.write(t, Event{Kind: EventRingConfirmed, At: m.now, Ring: m.row.Next.Ring})
				}
			},
			"note": func(t *rapid.T) {
				m.write(t, Event{Kind: EventNoted, At: m.now, Actor: "ann", Reason: "<seen> \u2028"})
			},
			"forget": func(t *rapid.T) {
				if event, err := Forgotten(m.row, "row", m.now, "ann", "asked for it"); err == nil {
					m.write(t, event)
					m.entries = m.entries[len(m.entries)-1:]
				}
			},
			"taint": func(t *rapid.T) {
				if !m.row.State.Final() && !m.row.phantom() {
					m.write(t, Taint(m.row, Recovery{Backup: m.now.Add(-time.Hour), Restored: m.now}, m.now))
				}
			},
			"": func(t *rapid.T) {
				if breaches := CheckHistory(m.row, m.entries); len(breaches) > 0 {
					t.Fatalf("%v", breaches)
				}
				if breaches := CheckLedger([]Call{m.row}, m.now, 0); m.row.LastRing == 0 && len(breaches) > 0 {
					t.Fatalf("%v", breaches)
				}
			},
		})
	})
}

func TestApplyChangesNeitherItsRowNorItsEvent(t *testing.T) {
	t.Parallel()
	row := at(Dialing, func(c *Call) { c.Next = &Child{Ring: 1, Due: noon} })
	before, err := row.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range EventKinds() {
		event := Event{Kind: kind, At: noon, Attempt: &Attempt{ID: "x"}, AttemptID: "a1", Class: ClassAmbiguous, Opening: &Opening{}, Next: &Child{Ring: 2}, Ring: 1, Hits: true}
		next := row.Apply(event)
		if len(next.Open) > 0 {
			next.Open[0].ID = "changed"
		}
		if next.Next != nil {
			next.Next.Reason = "changed"
		}
		if after, err := row.Encode(); err != nil || string(after) != string(before) {
			t.Errorf("%s changed the row it was applied to", kind)
		}
		if event.Next.Reason != "" || event.Attempt.ID != "x" {
			t.Errorf("%s shares memory with its event", kind)
		}
	}
}

func TestApplyIsTotal(t *testing.T) {
	t.Parallel()
	for _, state := range States() {
		for _, kind := range append(EventKinds(), "unheard-of", "") {
			if got := at(state).Apply(Event{Kind: kind}); got.Version != at(state).Version+1 {
				t.Errorf("%s on %s made version %d", kind, state, got.Version)
			}
		}
	}
}

func TestARowOfANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	c := at(Placed)
	c.Schema = newestSchema + 1
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeCall(data); !errors.Is(err, ErrNewerRow) {
		t.Errorf("%v", err)
	}
	if _, err := DecodeCall([]byte(`{"schema":`)); err == nil || strings.Contains(err.Error(), "newer") {
		t.Errorf("%v", err)
	}
}

func TestEveryMemberOfARowSurvivesTheLedger(t *testing.T) {
	t.Parallel()
	var c Call
	fill(reflect.ValueOf(&c).Elem())
	c.Schema = SchemaVersion
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeCall(data)
	if err != nil || !reflect.DeepEqual(c, back) {
		t.Errorf("%v\n%#v\n%#v", err, c, back)
	}
}

// fill gives every member below v a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the kinds that rows are made of
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon.Add(123456789)))
			return
		}
		for _, member := range v.Fields() {
			fill(member)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"a": "b"}))
	case reflect.String:
		v.SetString("値")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	}
}
