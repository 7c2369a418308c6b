//go:build integration

package cli

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

const (
	slotsOfAll = 3                // that all processes share
	slotTalk   = 40 * time.Second // shorter than the lease of a slot, which is a minute
	slotCalls  = 6
)

// together returns how many calls of the telephone lasted at once at most.
func (f *fleet) together() (most int) {
	contacts := f.telephone.Contacts()
	for _, at := range contacts {
		lasting := 0
		for _, c := range contacts {
			if !c.InitiatedAt.After(at.InitiatedAt) && c.DisconnectedAt.After(at.InitiatedAt) {
				lasting++
			}
		}
		most = max(most, lasting)
	}
	return most
}

// ring waits until the telephone rang so often.
func (f *fleet) ring(want int, within time.Duration) {
	f.t.Helper()
	for end := time.Now().Add(within); f.telephone.RingCount() < want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("the phones rang %d times, not %d, within %s", f.telephone.RingCount(), want, within)
		}
	}
}

// TestThreeProcessesOnOneDatabaseShareTheConcurrencySlotsAndThoseOfAKilledOneComeFree: what dialed is killed before it knows an answer, so nothing but the end of
// their leases frees its slots; until then its calls last, and nobody else may dial.
func TestThreeProcessesOnOneDatabaseShareTheConcurrencySlotsAndThoseOfAKilledOneComeFree(t *testing.T) {
	t.Parallel() // it mostly waits
	f := newFleet(t, func(s *fleetSetting) {
		s.plan, s.talk = "place-then-delay(4s) p=1", slotTalk
		s.more = fmt.Sprintf("limits: {concurrent: %d, slot_lease: 1m}\n", slotsOfAll)
	})
	for n := range slotCalls {
		body := fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-%d","destinationPhoneNumber":%q,"profile":"alert"}`, n, n, answering(n))
		first := 0 // process that is killed
		if n > slotsOfAll {
			first = n%2 + 1
		}
		if _, err := f.ask(t.Context(), first, http.MethodPost, "/v1/calls", body); err != nil {
			t.Fatal(err)
		}
		if n == slotsOfAll { // one more than there are slots
			f.ring(slotsOfAll, 30*time.Second)
			f.kill(f.members[0])
		}
	}
	killed := time.Now()
	time.Sleep(5 * time.Second)
	f.start(f.members[0])
	f.ring(slotsOfAll+1, 3*time.Minute)
	free := time.Since(killed)
	f.ring(slotCalls, 5*time.Minute)
	rings, most := f.telephone.Rings(), f.together()
	f.stop()
	if most != slotsOfAll {
		t.Errorf("%d calls at once, and the limit of all processes is %d", most, slotsOfAll)
	}
	once := map[string]int{}
	for _, r := range rings {
		if once[r.Number]++; once[r.Number] > 1 {
			t.Errorf("%s rang twice", r.Number)
		}
	}
	if free < slotTalk-5*time.Second {
		t.Errorf("the slots of the killed process were free %s after its end, while its calls lasted", free)
	}
	t.Logf("%d rings, %d at once at most; the first slot of the killed process was free after %s", len(rings), most, free.Round(time.Second))
}
