package rules

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// tariff prices a call of plainProfile, which may last 4 hours: 50 cents to ada, and 2 to everybody else.
var tariff = Prices{{PerCall: 2_000_000}, {Prefix: "81", PerCall: 9_000_000}, {Prefix: "8190", PerCall: 20_000, PerMinute: 2_000}}

func ceiling(most int, producer string) Velocity {
	return Velocity{Producer: producer, Most: most, Per: 24 * time.Hour, Stops: true, Prices: tariff, Currency: "USD"}
}

func of(producer string, c call.Call) call.Call {
	c.Producer = producer
	return c
}

func TestACallIsPricedByTheLongestPrefixForAsLongAsItMayLast(t *testing.T) {
	t.Parallel()
	for number, price := range map[string]int{ada: 500_000, bob: 2_000_000, "+8150" + "00000000": 9_000_000} {
		backwards := slices.Clone(tariff)
		slices.Reverse(backwards)
		for _, prices := range []Prices{tariff, backwards} {
			if n := prices.of(number, 4*time.Hour); n != price {
				t.Errorf("%s costs %d, want %d", number, n, price)
			}
		}
	}
	if n := tariff.of(ada, 61*time.Second); n != 24_000 {
		t.Errorf("61 seconds cost %d, want two minutes", n)
	}
	if n := tariff.Dearest(4 * time.Hour); n != 9_000_000 {
		t.Errorf("the dearest call costs %d", n)
	}
}

func TestMoneyIsReadToTheMillionth(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]int{"0": 0, "12": 12_000_000, "12.5": 12_500_000, "0.000001": 1, "0.013": 13_000, "1000000000": 1_000_000_000_000_000} {
		if got, err := ParseMoney(text); err != nil || got != n {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ".5", "1.", "-1", "+1", "1,5", "1e3", "0.0000001", "1000000001", "1.-5", " 1", "0x1"} {
		if got, err := ParseMoney(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for n, text := range map[int]string{0: "0.00 USD", 12_500_000: "12.50 USD", 13_000: "0.013 USD", 1: "0.000001 USD"} {
		if got := Money(n, "USD"); got != text {
			t.Errorf("%d is written as %s", n, got)
		}
	}
}

func TestACeilingThatIsReachedPausesUntilAPersonResumes(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g, other := gateOn(t, cells, limited(ceiling(2_400_000, ""))), gateOn(t, cells, limited(ceiling(2_400_000, "")))
	mustPass(t, g, aCall("dear", bob), noon)
	v := pass(t, g, aCall("one more", ada), noon.Add(time.Second)) // 2.50
	if v.Why != call.HeldPausedAll || !strings.Contains(v.Alarm, "2.40 USD per 24h0m0s") {
		t.Fatalf("%+v", v)
	}
	mustKeep(t, other, aCall("another", bob), noon.Add(100*24*time.Hour), call.HeldPausedAll) // no time ends it
	resumed := noon.Add(time.Minute)
	if changed, err := Resume(t.Context(), cells, Switch{Target: Target{Kind: TargetAll}, By: "ada", At: resumed, Why: "it was meant"}); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for n := range 4 { // the count begins anew
		mustPass(t, g, aCall(fmt.Sprint("again", n), ada), resumed.Add(time.Second))
	}
	mustKeep(t, g, aCall("too much", ada), resumed.Add(2*time.Second), call.HeldPausedAll)
}

// The price of a call is known before it is dialed, so the ceiling is never passed, whoever asks at the same time.
func TestABurstOfCallsOfTwoPricesStopsBelowTheCeiling(t *testing.T) {
	t.Parallel()
	const burst, most, lanes = 4_000, 100_300_000, 8
	cells := newShelf()
	limit := ceiling(most, Each)
	gates := []*Gate{gateOn(t, cells, limited(limit)), gateOn(t, cells, limited(limit))}
	var spent, alarms atomic.Int64
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			for n := lane; n < burst; n += lanes {
				c := of("orders", aCall(fmt.Sprint("burst-", n), []string{ada, bob}[n/lanes%2]))
				v, err := gates[n%2].Pass(t.Context(), c, plainProfile, noon.Add(time.Duration(n)*time.Millisecond))
				switch {
				case err != nil:
					t.Error(err)
				case v.Passes():
					spent.Add(int64(limit.weight(c, plainProfile)))
				case v.Alarm != "":
					alarms.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if s := spent.Load(); s > most || s <= most-2_000_000 || alarms.Load() != 1 { // the next dear call does not fit
		t.Errorf("%s of %s are spent, %d alarms", Money(int(s), ""), Money(most, ""), alarms.Load())
	}
	mustPass(t, gates[0], of("alerts", aCall("of another producer", bob)), noon)
}

func TestEachProducerHasACeilingOfItsOwnBesideThatForAll(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(ceiling(5_000_000, ""), ceiling(2_000_000, Each), ceiling(4_000_000, "orders")))
	mustPass(t, g, of("orders", aCall("a", bob)), noon)
	v := pass(t, g, of("orders", aCall("b", ada)), noon)
	if v.Why != call.HeldPausedProducer || !strings.Contains(v.Alarm, "2.00 USD per 24h0m0s of orders") {
		t.Errorf("%+v", v)
	}
	mustPass(t, g, of("texts", aCall("c", bob)), noon)
	mustPass(t, g, aCall("of nobody", ada), noon) // 4.50: it counts for all alone
	if v := pass(t, g, of("alerts", aCall("d", bob)), noon); v.Why != call.HeldPausedAll {
		t.Errorf("%+v", v)
	}
}

// What was counted is given back with the price that it had, also by another process that knows other prices.
func TestADialThatWasNotMadeGivesItsPriceBack(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, limited(ceiling(2_000_000, "")))
	dearer := ceiling(2_000_000, "")
	dearer.Prices = Prices{{PerCall: 1_900_000}}
	other := gateOn(t, cells, limited(dearer))
	for n := range 5 {
		c := aCall(fmt.Sprint("n", n), bob)
		ticket := mustPass(t, g, c, noon)
		mustPass(t, other, c, noon) // it took it too, and died
		g.Return(t.Context(), c, ticket, noon)
		mustKeep(t, gateOn(t, cells, limited(held(dearer))), aCall("not yet", bob), noon, call.HeldVelocity)
		other.Return(t.Context(), c, "", noon) // the call ended
	}
	mustPass(t, other, aCall("a", bob), noon)
	mustKeep(t, gateOn(t, cells, limited(held(dearer))), aCall("b", bob), noon, call.HeldVelocity)
}

func held(v Velocity) Velocity {
	v.Stops = false
	return v
}

// Nobody can pause a producer that has no name: its calls count for all alone.
func TestCallsOfNobodyAreNotOneProducer(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(ceiling(2_000_000, Each)))
	for n := range 3 {
		mustPass(t, g, aCall(fmt.Sprint("n", n), bob), noon)
	}
}

func TestACeilingIsAboutVoiceAlone(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(ceiling(1, "")))
	c := aCall("chat", "")
	c.Key.Kind = call.KindChat
	mustPass(t, g, c, noon)
	free := ceiling(0, "")
	free.Prices = Prices{{}}
	mustPass(t, gateOn(t, newShelf(), limited(free)), aCall("for nothing", ada), noon)
	if until := mustKeep(t, gateOn(t, newShelf(), limited(held(ceiling(1, "")))), aCall("dearer than the whole limit", ada), noon, call.HeldVelocity); !until.After(noon) {
		t.Errorf("it is kept until %s", until)
	}
}
