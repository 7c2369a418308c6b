package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Contacts answers StartChatContact and StartTaskContact of Amazon Connect. The reference says of the token only that it is there to "ensure
// the idempotency of the request": Honors is one reading of that, its zero value the other.
type Contacts struct {
	Honors bool // a repeat of a token answers with its contact

	mu      sync.Mutex
	lose    int
	started int
	byToken map[string]string
}

// LoseAnswers makes the next n requests have their effect and no answer.
func (c *Contacts) LoseAnswers(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lose = n
}

// Started returns how many contacts were started.
func (c *Contacts) Started() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started
}

// ServeHTTP implements http.Handler.
func (c *Contacts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ ClientToken string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method != http.MethodPut || r.URL.Path != "/contact/chat" && r.URL.Path != "/contact/task" {
		w.Header().Set("X-Amzn-Errortype", "InvalidRequestException")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id, lost := c.start(r.URL.Path + " " + in.ClientToken)
	if lost {
		panic(http.ErrAbortHandler) // the connection closes without an answer
	}
	answer(w, map[string]string{"ContactId": id})
}

func (c *Contacts) start(token string) (id string, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id = c.byToken[token]
	if id == "" || !c.Honors {
		c.started++
		id = fmt.Sprintf("contact-%d", c.started)
		if c.byToken == nil {
			c.byToken = map[string]string{}
		}
		c.byToken[token] = id
	}
	lost = c.lose > 0
	if lost {
		c.lose--
	}
	return id, lost
}

// answer writes a body of JSON.
func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
