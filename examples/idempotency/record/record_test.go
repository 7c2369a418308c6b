package record_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

var errLost = errors.New("the answer was lost")

func rule(t *testing.T, service, operation string) clienttoken.Rule {
	t.Helper()
	r, err := clienttoken.For(service, operation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// world counts effects.
type world struct {
	mu      sync.Mutex
	effects int
	lose    bool
}

func (w *world) send() (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects++
	if w.lose {
		return "", errLost
	}
	return "the answer", nil
}

func TestAnAnswerThatIsKnownIsNeverAskedForAgain(t *testing.T) {
	t.Parallel()
	var w world
	r, task := record.Record{Dir: t.TempDir()}, rule(t, "connect", "StartTaskContact")
	for range 3 {
		if answer, err := r.Once(task, "token-1", w.send); err != nil || answer != "the answer" {
			t.Errorf("%q, %v", answer, err)
		}
	}
	if _, err := r.Once(task, "token-2", w.send); err != nil || w.effects != 2 {
		t.Errorf("%d effects of two tokens, %v", w.effects, err)
	}
}

func TestALostAnswerIsInDoubtWhereARepeatIsNotDocumented(t *testing.T) {
	t.Parallel()
	w := world{lose: true}
	r, task := record.Record{Dir: t.TempDir()}, rule(t, "connect", "StartTaskContact")
	_, first := r.Once(task, "token-1", w.send)
	_, second := r.Once(task, "token-1", w.send)
	if !errors.Is(first, errLost) || !errors.Is(second, record.ErrInDoubt) || w.effects != 1 {
		t.Errorf("%d effects; %v; %v", w.effects, first, second)
	}
}

func TestALostAnswerIsRepeatedWhileTheTokenLives(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)
	w := world{lose: true}
	r, voice := record.Record{Dir: t.TempDir(), Now: func() time.Time { return now }}, rule(t, "connect", "StartOutboundVoiceContact")
	_, _ = r.Once(voice, "token-1", w.send)
	now = now.Add(5 * 24 * time.Hour)
	if _, err := r.Once(voice, "token-1", w.send); !errors.Is(err, errLost) || w.effects != 2 { // the service answers for the token
		t.Errorf("inside the 7 days: %d requests, %v", w.effects, err)
	}
	now = now.Add(24 * time.Hour)
	if _, err := r.Once(voice, "token-1", w.send); !errors.Is(err, record.ErrInDoubt) || w.effects != 2 {
		t.Errorf("when the 7 days end: %d requests, %v", w.effects, err)
	}
}

func TestARefusalIsNoIntent(t *testing.T) {
	t.Parallel()
	var w world
	r, task := record.Record{Dir: t.TempDir()}, rule(t, "connect", "StartTaskContact")
	refusal := &smithy.GenericAPIError{Code: "InvalidParameterException", Fault: smithy.FaultClient}
	_, err := r.Once(task, "token-1", func() (string, error) { return "", record.Refused(refusal) })
	if !errors.Is(err, record.ErrNothingHappened) {
		t.Fatal(err)
	}
	if _, err := r.Once(task, "token-1", w.send); err != nil || w.effects != 1 {
		t.Errorf("%d effects, %v", w.effects, err)
	}
	for _, unclear := range []error{errLost, &smithy.GenericAPIError{Code: "InternalServiceException", Fault: smithy.FaultServer}} {
		if errors.Is(record.Refused(unclear), record.ErrNothingHappened) {
			t.Errorf("%v is taken for a refusal", unclear)
		}
	}
}

func TestOneOfManyProcessesSends(t *testing.T) {
	t.Parallel()
	var w world
	var group sync.WaitGroup
	r, task := record.Record{Dir: t.TempDir()}, rule(t, "connect", "StartTaskContact")
	for range 8 {
		group.Go(func() {
			if _, err := r.Once(task, "token-1", w.send); err != nil && !errors.Is(err, record.ErrInDoubt) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if w.effects != 1 {
		t.Errorf("%d effects", w.effects)
	}
}
