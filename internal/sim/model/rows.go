package model

import (
	"hash/maphash"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// start is the instant zero of every configuration.
var start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func instant(sec int32) time.Time { return start.Add(time.Duration(sec) * time.Second) }

// seconds returns the first whole second at or after an instant.
func seconds(at time.Time) int32 {
	d := at.Sub(start)
	return int32((d + time.Second - 1) / time.Second) //nolint:gosec // a configuration spans weeks
}

// theKey is the key of all messages of a configuration.
var theKey = call.Key{Kind: call.KindVoice, NotificationID: "notification-1", RecipientID: "user-1"}

const theNumber = "+12025550100"

// machine explores one configuration. It is used by one goroutine.
type machine struct {
	c       *Config
	v       Variant
	profile call.Profile
	naming  [maxRings]string

	calls    []call.Call // by rowID; the first is the empty row
	kinds    []call.EventKind
	ids      map[string]rowID
	breaches map[[2]rowID]string

	texts      []string // tokens and bodies by number
	numbers    map[string]uint8
	recoveries []*call.Recovery // by number; the first is nil

	plans  map[planKey]plan
	writes map[writeKey]rowID
	asked  map[askKey]answerPlan
	begun  map[beginKey]rowID
	ledger map[[maxRings]rowID]string // what CheckLedger says
	rested *hashes                    // states that settle well
	seed   maphash.Seed

	seen *coverage
	told func(before, after *state, what string) // hears what settling does; may be nil
	bad  finding                                 // of the transition in the making
}

func newMachine(c *Config) *machine {
	m := &machine{
		c: c, v: c.Variant, profile: c.profile(), calls: []call.Call{{}}, kinds: []call.EventKind{""}, ids: map[string]rowID{},
		breaches: map[[2]rowID]string{}, texts: []string{""}, numbers: map[string]uint8{}, recoveries: []*call.Recovery{nil},
		plans: map[planKey]plan{}, writes: map[writeKey]rowID{}, asked: map[askKey]answerPlan{}, begun: map[beginKey]rowID{}, ledger: map[[maxRings]rowID]string{},
		rested: newHashes(), seed: maphash.MakeSeed(), seen: newCoverage(),
	}
	for ring := range maxRings {
		m.naming[ring] = call.Naming{}.Row(theKey, ring)
	}
	return m
}

func (m *machine) row(id rowID) *call.Call { return &m.calls[id] }

// intern returns the number of a row. Equal rows have one number. The hash chain is left out: the model has no history.
func (m *machine) intern(c call.Call, kind call.EventKind) rowID {
	c.Head = ""
	key, err := c.Encode()
	if err != nil {
		panic(err) // a row of plain values always encodes
	}
	if id, known := m.ids[string(key)]; known {
		return id
	}
	id := rowID(len(m.calls)) //nolint:gosec // bounded by memory
	m.calls = append(m.calls, c)
	m.kinds = append(m.kinds, kind)
	m.ids[string(key)] = id
	return id
}

// do applies an event to a row. The shipped protocol's decisions are judged by the core's own CheckWrite.
func (m *machine) do(before call.Call, e call.Event) rowID {
	after := before.Apply(e)
	m.v.distort(before, e, &after)
	id := m.intern(after, e.Kind)
	if m.v == Shipped {
		for _, b := range call.CheckWrite(before, e, after) {
			m.breaches[[2]rowID{m.numberOf(before), id}] = b.String()
		}
	}
	return id
}

func (m *machine) numberOf(c call.Call) rowID {
	if c.Version == 0 {
		return 0
	}
	return m.intern(c, "")
}

// number returns the number of a token or a body.
func (m *machine) number(text string) uint8 {
	n, known := m.numbers[text]
	if !known {
		n = uint8(len(m.texts)) //nolint:gosec // a configuration has a handful of tokens and bodies
		m.texts = append(m.texts, text)
		m.numbers[text] = n
	}
	return n
}

func (m *machine) recovery(n uint8) *call.Recovery { return m.recoveries[n] }

// recover returns the number of a recovery.
func (m *machine) recover(backup, restored int32) uint8 {
	r := call.Recovery{Backup: instant(backup), Restored: instant(restored)}
	for n, known := range m.recoveries {
		if known != nil && *known == r {
			return uint8(n)
		}
	}
	m.recoveries = append(m.recoveries, &r)
	return uint8(len(m.recoveries) - 1) //nolint:gosec // a handful
}

// body is what a configuration makes of a row: what was asked for, the token, and what the configuration adds.
func (m *machine) body(c *call.Call, drifted bool) []byte {
	flow := "flow-1"
	if drifted {
		flow = "flow-2"
	}
	return []byte(c.Fingerprint + "|" + c.Token + "|" + flow)
}

func (m *machine) target() call.Target {
	return call.Target{Region: m.profile.Region, InstanceID: m.profile.InstanceID}
}

func tokenOf(ring uint8) string { return "token-" + strconv.Itoa(int(ring)) }

func attemptID(n uint8) string { return "a" + strconv.Itoa(int(n)) }

func contactID(n uint8) string { return "c" + strconv.Itoa(int(n)) }

func fingerprint(params string) string { return "fp-" + params }

// stamp returns what a copy of a message says about the age of its request.
func (x *Message) stamp() call.Stamp {
	if x.Tier == call.TierNone || x.Tier == "" {
		return call.Stamp{Tier: call.TierNone}
	}
	return call.Stamp{At: instant(x.Stamp), Tier: x.Tier}
}

func (x *Message) notAfter() time.Time {
	if x.NotAfter == 0 {
		return time.Time{}
	}
	return instant(x.NotAfter)
}

// phantom returns the attempt that stands for what a restore forgot of a ring.
func phantom(id string, r *call.Recovery) *call.Attempt {
	return call.Taint(call.Call{ID: id}, *r, r.Restored).Attempt
}

// forgotten reports whether a restored ledger may have known a request that carries this stamp (protocol.md section 11, step 3).
func forgotten(r *call.Recovery, s call.Stamp) bool {
	return r != nil && (s.Tier != call.TierPayload || covers(r, s.At))
}

const futureTolerance = 5 * time.Minute

func covers(r *call.Recovery, at time.Time) bool { return !at.After(r.Restored.Add(futureTolerance)) }

// untainted reports whether an open recovery has not reached the row yet.
func untainted(c *call.Call, r *call.Recovery) bool {
	if r == nil || c.State.Final() || !covers(r, c.AcceptedAt) {
		return false
	}
	for _, a := range c.Open {
		if a.Phantom && !a.LeaseEnd.Before(r.Restored) {
			return false
		}
	}
	return true
}

func hasPhantom(c *call.Call) bool {
	for _, a := range c.Open {
		if a.Phantom {
			return true
		}
	}
	return false
}

func mayRepin(c *call.Call) bool { return !c.TokenUsed && len(c.Open) == 0 }
