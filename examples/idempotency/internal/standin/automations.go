package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Automations answers StartAutomationExecution of AWS Systems Manager. The reference says that a token "can't be reused", and not what a
// repeat gets: with Answers it is the automation that was started, else IdempotentParameterMismatch, which the reference describes for other
// parameters only.
type Automations struct {
	Answers bool

	mu      sync.Mutex
	lose    int
	started int
	byToken map[string]string
}

// LoseAnswers makes the next n requests have their effect and no answer.
func (a *Automations) LoseAnswers(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lose = n
}

// Started returns how many automations were started.
func (a *Automations) Started() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.started
}

// ServeHTTP implements http.Handler.
func (a *Automations) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ DocumentName, ClientToken string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".StartAutomationExecution") {
		fail(w, "InvalidAction", nil)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	token := strings.ToLower(in.ClientToken) // "case insensitive"
	id, known := a.byToken[token]
	switch {
	case known && token != "" && !a.Answers:
		fail(w, "IdempotentParameterMismatch", nil)
		return
	case !known || token == "":
		a.started++
		id = fmt.Sprintf("automation-%d", a.started)
		if a.byToken == nil {
			a.byToken = map[string]string{}
		}
		a.byToken[token] = id
	}
	if a.lose > 0 {
		a.lose--
		panic(http.ErrAbortHandler) // the connection closes without an answer
	}
	answer(w, map[string]string{"AutomationExecutionId": id})
}
