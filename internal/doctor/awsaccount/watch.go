package awsaccount

import (
	"net/http"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// watch is an HTTP client that compares the Date of the first answer with the clock.
type watch struct {
	inner *http.Client
	clock call.Clock

	mu    sync.Mutex
	known bool
	ahead time.Duration
}

// Do sends a request.
func (w *watch) Do(r *http.Request) (*http.Response, error) {
	before := w.clock.Now()
	response, err := w.inner.Do(r) //nolint:gosec // the addresses are those of AWS, or of the emulator that the operator named
	if err != nil {
		return response, err
	}
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return response, nil // an answer without a date is an answer
	}
	now := w.clock.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.known {
		// The date was written between the two readings, and cut to whole seconds.
		w.known, w.ahead = true, before.Add(now.Sub(before)/2).Sub(date.Add(time.Second/2))
	}
	return response, nil
}

// Ahead returns how far the clock is ahead of the Date of the first answer; known is false while there was none.
func (a *Account) Ahead() (ahead time.Duration, known bool) {
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	return a.watch.ahead, a.watch.known
}
