package connect

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// impatient is a clock on which pauses are short and time limits are long.
type impatient struct{}

func (impatient) Now() time.Time { return testStart }

func (impatient) Sleep(ctx context.Context, d time.Duration) error {
	if d >= MinTimeout {
		<-ctx.Done()
	}
	return ctx.Err()
}

func searching(t *testing.T, answer string) (found []call.Contact, requests int, err error) {
	t.Helper()
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) {
		requests++
		return answerWith(http.StatusOK, answer), nil
	}), func(o *Options) { o.Clock = impatient{} })
	found, err = d.Search(t.Context(), call.Target{Region: testRegion, InstanceID: testInstance}, "row-1", testStart.Add(-time.Hour), testStart)
	return found, requests, err
}

func TestAContactOfAnotherNameIsNotTheCalls(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"ringonce-row-1": 1, "ringonce-row-10": 0, "row-1": 0, "somebody": 0} {
		found, _, err := searching(t, `{"Contacts":[{"Id":"contact","Name":"`+name+`"}],"TotalCount":1}`)
		if err != nil || len(found) != want {
			t.Errorf("%s: %d contacts, want %d: %v", name, len(found), want, err)
		}
	}
}

func TestASearchThatIsNotLookedThroughSaysNothing(t *testing.T) {
	t.Parallel()
	found, requests, err := searching(t, `{"Contacts":[],"NextToken":"more"}`)
	if err == nil || len(found) > 0 || requests != searchPages {
		t.Errorf("%d contacts after %d pages: %v", len(found), requests, err)
	}
}
