package transport

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func examOf(src source, seed uint64, o Options) *exam {
	return &exam{src: src, rng: seeded(seed), options: o, horizon: start.Add(450 * day)}
}

// What is never acknowledged is delivered again, expires at the horizon of its source, or lies in a dead-letter queue; what is acknowledged is gone
// but for planned duplicates, which are copies of their own; retries change no stamp and no id, and count.
func TestNothingIsLostAndNothingComesBackUnplanned(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := seeded(seed)
		o := Options{
			MaxReceive: rapid.SampledFrom([]int{-1, 1, 3, 10}).Draw(rt, "maxReceive"), BatchSize: rapid.IntRange(1, 10).Draw(rt, "batch"),
			Visibility:    rapid.SampledFrom([]time.Duration{90 * time.Second, time.Hour, 12 * time.Hour}).Draw(rt, "visibility"),
			NoDeadLetters: rapid.Bool().Draw(rt, "no dead letters"), Profile: Swarm(rng),
		}
		if o.MaxReceive < 0 {
			o.Visibility = 12 * time.Hour
		}
		n := New(rng, o)
		for i := range rapid.IntRange(1, 6).Draw(rt, "messages") {
			form := rapid.SampledFrom(Forms()).Draw(rt, "form")
			publish(t, n, Message{ID: fmt.Sprint("m", i), Form: form, Group: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "group")}, start)
		}
		e := examOf(n, seed, o)
		e.ack = rapid.SampledFrom([]float64{0, 0.2, 0.8, 1}).Draw(rt, "acknowledged")
		e.silent = rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(rt, "silent")
		for _, finding := range e.sit() {
			rt.Error(finding)
		}
	})
}

// losing is a source that deletes a message which the function returned.
type losing struct{ *Network }

func (l losing) Answer(deliveryID int, _ Response, now time.Time) (Ruling, error) {
	ruling, err := l.Network.Answer(deliveryID, Response{}, now)
	clear(ruling.Acknowledged)
	return ruling, err
}

// restamping is a source whose retries have another time stamp.
type restamping struct {
	*Network

	what string
}

func (r restamping) Take(now time.Time) (Delivery, bool) {
	d, ok := r.Network.Take(now)
	if !ok || d.Records[0].Cause != CauseRetry {
		return d, ok
	}
	const digit = 3 // of the year, or of the milliseconds
	d.Document = bytes.Clone(d.Document)
	d.Document[bytes.Index(d.Document, []byte(r.what))+len(r.what)+digit] = '1'
	return d, ok
}

// resurrecting is a source that delivers once more what was acknowledged, and calls it a retry.
type resurrecting struct {
	*Network

	last *Delivery
}

func (r resurrecting) Take(now time.Time) (Delivery, bool) {
	d, ok := r.Network.Take(now)
	if ok && r.last.ID != 0 {
		d.Records, d.Document = r.last.Records, r.last.Document
	}
	if ok {
		*r.last = d
	}
	return d, ok
}

// forgetting is a source that leaves a message lying: nothing is due for it.
type forgetting struct{ *Network }

func (f forgetting) Statuses() []Status {
	all := f.Network.Statuses()
	for i := range all {
		if all[i].Delivered > 1 {
			all[i].Next = time.Time{}
		}
	}
	return all
}

// expiring is a source that forgets a message after its third delivery.
type expiring struct{ *Network }

func (x expiring) Statuses() []Status {
	all := x.Network.Statuses()
	for i := range all {
		if all[i].Delivered > 2 {
			all[i].State = StateExpired
		}
	}
	return all
}

// uncounted is a source whose receive count stands still.
type uncounted struct{ *Network }

func (u uncounted) Take(now time.Time) (Delivery, bool) {
	d, ok := u.Network.Take(now)
	for i := range d.Records {
		d.Records[i].Received = min(d.Records[i].Received, 1)
	}
	d.Document = bytes.Replace(d.Document, []byte(`"ApproximateReceiveCount":"2"`), []byte(`"ApproximateReceiveCount":"1"`), 1)
	return d, ok
}

func TestTheExamSeesASourceWithADefect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form  Form
		plant func(*Network) source
		ack   float64
		says  string
	}{
		"honest, SQS":       {SQS, func(n *Network) source { return n }, 0.5, ""},
		"honest, SNS":       {SNS, func(n *Network) source { return n }, 0.5, ""},
		"loses":             {SQS, func(n *Network) source { return losing{n} }, 0, "nobody acknowledged"},
		"loses an event":    {EventBridge, func(n *Network) source { return losing{n} }, 0, "nobody acknowledged"},
		"restamps SQS":      {SQS, func(n *Network) source { return restamping{n, `"SentTimestamp":"`} }, 0, "changes the evidence"},
		"restamps SNS":      {SNS, func(n *Network) source { return restamping{n, `"Timestamp":"`} }, 0, "changes the evidence"},
		"restamps an event": {EventBridge, func(n *Network) source { return restamping{n, `"time":"`} }, 0, "changes the evidence"},
		"resurrects":        {Async, func(n *Network) source { return resurrecting{n, &Delivery{}} }, 1, "after it was acknowledged"},
		"forgets":           {SQS, func(n *Network) source { return forgetting{n} }, 0, "nothing will ever happen"},
		"expires early":     {SQSFIFO, func(n *Network) source { return expiring{n} }, 0, "expired at"},
		"does not count":    {SQS, func(n *Network) source { return uncounted{n} }, 0, "received 1"},
	} {
		o := Options{BatchSize: 1}
		n := calm(o)
		publish(t, n, Message{ID: "a", Form: c.form}, start)
		publish(t, n, Message{ID: "b", Form: c.form}, start.Add(time.Hour))
		e := examOf(c.plant(n), 7, o)
		e.ack = c.ack
		found := strings.Join(e.sit(), "\n")
		if (c.says == "") != (found == "") || !strings.Contains(found, c.says) {
			t.Errorf("%s: found %q, want %q", name, found, c.says)
		}
	}
}

// run returns a hash of everything that a world of all forms delivers.
func run(t *testing.T, n *Network, seed uint64) string {
	t.Helper()
	rng := seeded(seed + 1)
	for i, form := range Forms() {
		publish(t, n, Message{ID: fmt.Sprint("m", i), Form: form, Stamping: Stamping(i % 3), Dedup: "chosen"}, start.Add(time.Duration(i)*time.Minute))
	}
	hash := sha256.New()
	for d, now, more := next(n); more; d, now, more = next(n) {
		fmt.Fprintf(hash, "%v %d %s %v\n%s\n", now, d.ID, d.Way, d.Records, d.Document)
		response := Response{}
		if rng.IntN(3) > 0 {
			response = refusal(d)
		}
		answer(t, n, d, response, now)
		if rng.IntN(20) == 0 {
			n.Redrive(now.Add(time.Second))
		}
	}
	fmt.Fprint(hash, n.Statuses(), n.Counts())
	return fmt.Sprintf("%x", hash.Sum(nil))
}

func TestEqualSeedsGiveEqualWorlds(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	reused := calm(Options{})
	for seed := range uint64(12) {
		world := func() (*Network, Profile) {
			rng := seeded(seed)
			p := Swarm(rng)
			return New(rng, Options{Profile: p}), p
		}
		a, _ := world()
		b, _ := world()
		first, second := run(t, a, seed), run(t, b, seed)
		rng := seeded(seed)
		reused.Reset(rng, Swarm(rng))
		if third := run(t, reused, seed); first != second || first != third {
			t.Fatalf("seed %d: %s, %s, after Reset %s", seed, first, second, third)
		}
		seen[first] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d worlds of 12 seeds", len(seen))
	}
}
