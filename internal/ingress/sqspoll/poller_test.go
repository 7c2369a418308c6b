package sqspoll_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

func TestWhatIsAcknowledgedIsDeletedInBatchesAndTheRestStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(strings.Fields("a b bad c d e f g h i j k")...)
		w := &worker{takes: func(_ context.Context, body string, _ int) bool { return body != "bad" }}
		poll(t, q, w, time.Second, nil)
		if q.left() != "bad" || q.asked["delete"] > 3 {
			t.Errorf("left %q after %d batches", q.left(), q.asked["delete"])
		}
		if w.notes[sqspoll.Deleted] != 11 || w.notes[sqspoll.Returned] == 0 {
			t.Errorf("%v", w.notes)
		}
	})
}

// The wait grows with the receives, is bounded and never the whole ceiling for everybody.
func TestScenarioI44AMessageThatIsNotAcknowledgedWaitsLongerEachTimeAndReachesTheDeadLetterQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("poison", "good")
		q.most = 6
		w := &worker{takes: func(_ context.Context, body string, _ int) bool { return body == "good" }}
		poll(t, q, w, 10*time.Minute, func(o *sqspoll.Options) { o.MaxBackOff = 20 * time.Second })
		if strings.Join(q.dead, " ") != "poison" || q.left() != "" || strings.Count(w.order(), "poison") != 6 {
			t.Errorf("dead %q, left %q, took %q", q.dead, q.left(), w.order())
		}
		want := []time.Duration{2 * time.Second, 3 * time.Second, 5 * time.Second, 9 * time.Second, 11 * time.Second, 11 * time.Second}
		for i, wait := range q.waits["poison"] {
			if wait != want[i] {
				t.Errorf("waits %v, want %v", q.waits["poison"], want)
				break
			}
		}
	})
}

// SQS refuses a longer one, and the message would come again when its visibility ends, soon.
func TestTheWaitOfAMessageThatWasHeldForLongEndsTwelveHoursAfterItsReceipt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("slow")
		w := &worker{takes: func(ctx context.Context, _ string, n int) bool {
			_ = (clock{}).Sleep(ctx, time.Hour)
			return n == 2
		}}
		poll(t, q, w, 24*time.Hour, func(o *sqspoll.Options) {
			o.BackOff, o.MaxBackOff, o.Random = 12*time.Hour, 12*time.Hour, func() float64 { return 0.999999 }
		})
		if waits := q.waits["slow"]; w.order() != "slow slow" || q.left() != "" || !slices.ContainsFunc(waits, func(d time.Duration) bool { return d > 10*time.Hour && d <= 11*time.Hour }) {
			t.Errorf("took %q, left %q, the longest wait is %s", w.order(), q.left(), slices.Max(waits))
		}
	})
}

func TestALongDialKeepsItsMessageInvisible(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(int) fault{
		"extended":               nil,
		"one extension is lost":  func(n int) fault { return map[bool]fault{true: notApplied}[n == 2] },
		"one answer is lost":     func(n int) fault { return map[bool]fault{true: answerLost}[n == 2] },
		"one entry was refused ": func(n int) fault { return map[bool]fault{true: refusesEntries}[n == 2] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := newQueue("slow")
				if fails != nil {
					q.fail["change"] = fails
				}
				w := &worker{takes: func(ctx context.Context, _ string, _ int) bool { return (clock{}).Sleep(ctx, 10*time.Minute) == nil }}
				poll(t, q, w, 11*time.Minute, nil)
				if w.order() != "slow" || q.left() != "" {
					t.Errorf("took %q, left %q", w.order(), q.left())
				}
			})
		})
	}
}

// The check above fails where nothing extends.
func TestWithoutExtensionsALongDialIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("slow")
		q.fail["change"] = func(int) fault { return notApplied }
		w := &worker{takes: func(ctx context.Context, _ string, _ int) bool { return (clock{}).Sleep(ctx, 10*time.Minute) == nil }}
		poll(t, q, w, 11*time.Minute, nil)
		if q.handles < 2 {
			t.Errorf("received %d times although nothing was extended", q.handles)
		}
		if w.order() != "slow" || q.left() != "" {
			t.Errorf("took %q beside itself, left %q: one that is held is not taken twice, and its newest handle deletes it", w.order(), q.left())
		}
	})
}

func TestScenarioI28ADeletionThatFailsIsTriedAgainAndAtLastTheMessageComesAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails func(int) fault
		takes int
		left  string
	}{
		"not applied twice":     {func(n int) fault { return map[bool]fault{true: notApplied}[n < 3] }, 1, ""},
		"the answer lost twice": {func(n int) fault { return map[bool]fault{true: answerLost}[n < 3] }, 1, ""},
		"entries refused once":  {func(n int) fault { return map[bool]fault{true: refusesEntries}[n < 2] }, 1, ""},
		"refused for good":      {func(n int) fault { return map[bool]fault{true: refusesForGood}[n < 2] }, 2, ""},
		"never applied":         {func(int) fault { return notApplied }, 3, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q, w := newQueue("a"), &worker{}
				q.fail["delete"] = c.fails
				poll(t, q, w, 150*time.Second, nil)
				if n := len(strings.Fields(w.order())); n != c.takes || q.left() != c.left {
					t.Errorf("took %d times, left %q", n, q.left())
				}
			})
		})
	}
}

// Nobody is called twice for it: what comes again is answered from its row. The alert RingonceCannotAcknowledge counts these notes.
func TestScenarioV10AQueueThatRefusesEveryDeletionForAnHourIsToldEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, w := newQueue("a"), &worker{}
		q.fail["delete"] = func(int) fault { return notApplied }
		poll(t, q, w, time.Hour, nil)
		taken := len(strings.Fields(w.order()))
		if taken < 10 || q.left() != "a" || w.notes[sqspoll.DeleteFailed] < taken-1 || w.notes[sqspoll.Deleted] != 0 {
			t.Errorf("taken %d times, left %q, %v", taken, q.left(), w.notes)
		}
	})
}

// Deletions that take long and fail outlast the visibility; behind them others wait for their own. Nobody else may receive any of them meanwhile.
func TestAMessageWhoseDeletionIsWaitedForStaysInvisible(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{"nothing is done": notApplied, "the answers are lost": answerLost, "every entry is refused": refusesEntries} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(strings.Fields("a b c d e f g h i j k l m n")...)
				q.slow = 8 * time.Second
				q.fail["delete"] = func(n int) fault { return map[bool]fault{true: f}[n <= 4] }
				w := &worker{}
				poll(t, q, w, 3*time.Minute, func(o *sqspoll.Options) { o.Lanes, o.Visibility = 20, 10*time.Second })
				if q.left() != "" || len(w.took) != 14 || w.notes[sqspoll.Received] != 14 || w.notes[sqspoll.Deleted] != 14 || w.notes[sqspoll.DeleteFailed] != 0 {
					t.Errorf("left %q, took %q, %v", q.left(), w.order(), w.notes)
				}
			})
		})
	}
}

func TestAReceiveThatFailsIsBackedOffAndWhatItHidComesLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, w := newQueue("a", "b"), &worker{}
		q.fail["receive"] = func(n int) fault { return map[bool]fault{true: answerLost}[n < 4] }
		poll(t, q, w, 10*time.Minute, nil)
		if q.left() != "" || w.notes[sqspoll.ReceiveFailed] != 3 || w.notes[sqspoll.Deleted] != 2 {
			t.Errorf("left %q, %v", q.left(), w.notes)
		}
	})
}

func TestGroupsOfAFIFOQueueStayInOrderAndStopAtWhatIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for body := range strings.FieldsSeq("a1 b1 a2 a3 b2 a4") {
			q.send(body, body[:1])
		}
		w := &worker{takes: func(ctx context.Context, body string, n int) bool {
			_ = (clock{}).Sleep(ctx, time.Second)
			return body != "a2" || n == 3
		}}
		poll(t, q, w, time.Minute, nil)
		var a []string
		for body := range strings.FieldsSeq(w.order()) {
			if body[0] == 'a' {
				a = append(a, body)
			}
		}
		if got := strings.Join(a, " "); got != "a1 a2 a2 a2 a3 a4" || q.left() != "" {
			t.Errorf("took %s, left %q", got, q.left())
		}
	})
}

func TestAStopEndsWhatRunsAndShowsTheRestAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for body := range strings.FieldsSeq("g1 g2 g3") {
			q.send(body, "g")
		}
		w := &worker{takes: func(ctx context.Context, _ string, _ int) bool { return (clock{}).Sleep(ctx, 10*time.Second) == nil }}
		took := poll(t, q, w, 5*time.Second, nil)
		if w.order() != "g1" || q.left() != "g2 g3" || took > 6*time.Second {
			t.Errorf("took %q, left %q, ended after %s", w.order(), q.left(), took)
		}
		for _, m := range q.messages {
			if m.visible.After(time.Now()) {
				t.Errorf("%s is still invisible", m.body)
			}
		}
	})
}

func TestWhatRunsLongerThanTheDrainTimeIsCutOffAndShownAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("endless")
		w := &worker{takes: func(ctx context.Context, _ string, _ int) bool { return (clock{}).Sleep(ctx, 24*time.Hour) == nil }}
		took := poll(t, q, w, time.Minute, nil)
		if q.left() != "endless" || took < sqspoll.DefaultDrain || took > sqspoll.DefaultDrain+time.Second || q.messages[0].visible.After(time.Now()) {
			t.Errorf("left %q, visible %v, ended after %s", q.left(), q.messages[0].visible, took)
		}
	})
}

func TestNoMoreMessagesAreHeldThanThereAreLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(strings.Fields("a b c d e f g h")...)
		running, most := 0, 0
		w := &worker{}
		w.takes = func(ctx context.Context, _ string, _ int) bool {
			w.mu.Lock()
			running++
			most = max(most, running)
			w.mu.Unlock()
			_ = (clock{}).Sleep(ctx, time.Second)
			w.mu.Lock()
			running--
			w.mu.Unlock()
			return true
		}
		poll(t, q, w, 20*time.Second, func(o *sqspoll.Options) { o.Lanes = 3 })
		if most != 3 || q.left() != "" {
			t.Errorf("%d at a time, left %q", most, q.left())
		}
	})
}

func TestAPollerWithoutItsPortsOrOutOfItsBoundsIsRefused(t *testing.T) {
	t.Parallel()
	whole := sqspoll.Options{Queue: newQueue(), Take: (&worker{}).take, Clock: clock{}, Random: func() float64 { return 0 }}
	if _, err := sqspoll.New(whole); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*sqspoll.Options){
		"queue": func(o *sqspoll.Options) { o.Queue = nil }, "take": func(o *sqspoll.Options) { o.Take = nil },
		"clock": func(o *sqspoll.Options) { o.Clock = nil }, "random": func(o *sqspoll.Options) { o.Random = nil },
		"lanes": func(o *sqspoll.Options) { o.Lanes = -1 }, "visibility": func(o *sqspoll.Options) { o.Visibility = 13 * time.Hour },
		"back-off": func(o *sqspoll.Options) { o.MaxBackOff = -1 },
	} {
		o := whole
		change(&o)
		if _, err := sqspoll.New(o); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sqspoll.NewClient(sqspoll.ClientOptions{}); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("a client of nothing: %v", err)
	}
}
