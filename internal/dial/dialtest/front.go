package dialtest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// wire is one request as it arrived.
type wire struct {
	method, path string
	header       http.Header
	body         []byte
}

// answer is what the front says instead of the emulator.
type answer struct {
	status  int
	name    string // X-Amzn-ErrorType
	header  map[string]string
	body    string
	serve   bool // let the emulator do its work first
	hang    bool // say nothing until the lab is closed
	closing bool // close the connection instead
}

// front stands before the emulator: it counts requests, keeps their bytes, and can answer in its place.
type front struct {
	emulator http.Handler

	mu     sync.Mutex
	seen   []wire
	worked int           // how many of them the emulator, or nobody, has dealt with
	answer *answer       // for every request but reads, when set
	skew   time.Duration // of the Date header of every answer
	closed chan struct{}
}

func (f *front) gate() chan struct{} {
	if f.closed == nil {
		f.closed = make(chan struct{})
	}
	return f.closed
}

// close lets hanging answers go.
func (f *front) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.gate())
}

// say sets the answer to every request that is not a read.
func (f *front) say(a answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = &a
}

// misdate moves the Date header of every answer.
func (f *front) misdate(skew time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skew = skew
}

// requests returns the requests that were not reads, in the order in which they arrived.
func (f *front) requests() []wire {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

// dealtWith returns how many requests were answered by the front, or are about to be.
func (f *front) dealtWith() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.worked
}

// isRead reports whether the request cannot ring. Everything else counts as an attempt to, wherever it is sent.
func isRead(r *http.Request) bool {
	return r.Method == http.MethodPost || r.Method == http.MethodGet && len(r.URL.Path) > len("/contacts/") && r.URL.Path[:10] == "/contacts/"
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	said, skew, gate := f.answer, f.skew, f.gate()
	if isRead(r) {
		said = nil
	} else {
		f.seen = append(f.seen, wire{r.Method, r.URL.Path, r.Header.Clone(), body})
	}
	f.mu.Unlock()
	if skew != 0 {
		w.Header().Set("Date", start.Add(skew).Format(http.TimeFormat))
	}
	if said == nil {
		f.emulator.ServeHTTP(w, r)
		return
	}
	if said.serve {
		f.emulator.ServeHTTP(nowhere{make(http.Header)}, r)
	}
	f.mu.Lock()
	f.worked++
	f.mu.Unlock()
	if said.hang {
		<-gate
		panic(http.ErrAbortHandler)
	}
	said.write(w)
}

func (a *answer) write(w http.ResponseWriter) {
	if a.closing {
		panic(http.ErrAbortHandler)
	}
	if a.name != "" {
		w.Header().Set("X-Amzn-ErrorType", a.name)
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body) // the dialer may have gone
}

// nowhere swallows the emulator's own answer.
type nowhere struct{ header http.Header }

// Header implements http.ResponseWriter.
func (n nowhere) Header() http.Header { return n.header }

// Write implements http.ResponseWriter.
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements http.ResponseWriter.
func (nowhere) WriteHeader(int) {}
