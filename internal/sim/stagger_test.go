package sim

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// TestRecordsOfABatchAskForASlotAtInstantsOfTheirOwn: where no look-up comes first, nothing else keeps them apart, and the scheduler would say who gets
// the last slot.
func TestRecordsOfABatchAskForASlotAtInstantsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name      string
		serial    bool
		readFirst bool
		apart     bool
	}{
		{name: "side by side, created first", apart: true},
		{name: "side by side, looked up first", readFirst: true},
		{name: "one by one", serial: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &World{Setting: Setting{Serial: c.serial}, options: Options{Seed: 1}}
				e := &call.Engine{Config: call.Config{
					ReadFirst: c.readFirst, Token: func(in call.TokenInput) (string, error) { return "token of " + in.NotificationID, nil },
				}}
				w.stagger(e)
				began, at := time.Now(), [2]time.Time{}
				var all sync.WaitGroup
				for i, id := range []string{"n1", "n2"} {
					all.Go(func() {
						if made, err := e.Token(call.TokenInput{NotificationID: id}); err != nil || made != "token of "+id {
							t.Errorf("the token is %q: %v", made, err)
						}
						at[i] = time.Now()
					})
				}
				all.Wait()
				if apart := !at[0].Equal(at[1]) && at[0].After(began) && at[1].After(began); apart != c.apart {
					t.Errorf("the records went on %v and %v after they began", at[0].Sub(began), at[1].Sub(began))
				}
			})
		})
	}
}
