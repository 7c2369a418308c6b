package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The lives of a token of RunTask, of which the shorter one counts.
const (
	tokenLife   = 24 * time.Hour
	afterTheEnd = time.Hour
)

// Tasks answers RunTask and CreateService of Amazon ECS as the API reference says. A token of RunTask belongs to a cluster, answers with its
// task, refuses other parameters with ConflictException, and lives for 24 hours or until an hour after its task has ended, whichever comes
// first. A repeat of CreateService answers with the service; what other parameters get is not documented, and here it is that too. Their
// members are of RunTask and CreateService and read without case.
type Tasks struct {
	Now func() time.Time

	mu       sync.Mutex
	lose     int
	tasks    []task
	services map[string]string // token to ARN
}

type task struct {
	token, parameters, arn string
	started, ended         time.Time
}

// alive reports whether the token of a task is remembered.
func (t task) alive(now time.Time) bool {
	return now.Before(t.started.Add(tokenLife)) && (t.ended.IsZero() || now.Before(t.ended.Add(afterTheEnd)))
}

// LoseAnswers makes the next n requests have their effect and no answer.
func (s *Tasks) LoseAnswers(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = n
}

// Ran returns how many tasks were run.
func (s *Tasks) Ran() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tasks)
}

// Services returns how many services were created.
func (s *Tasks) Services() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.services)
}

// EndAll ends every task that runs.
func (s *Tasks) EndAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tasks {
		if s.tasks[i].ended.IsZero() {
			s.tasks[i].ended = s.Now()
		}
	}
}

// ServeHTTP implements http.Handler.
func (s *Tasks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in map[string]any
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fail(w, "SerializationException", nil)
		return
	}
	token, _ := in["clientToken"].(string)
	delete(in, "clientToken")
	rest, err := json.Marshal(in) // members in one order
	if err != nil {
		fail(w, "SerializationException", nil)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "RunTask":
		found := s.run(token, string(rest))
		if found.parameters != string(rest) {
			fail(w, "ConflictException", map[string]any{"resourceIds": []string{found.arn}})
			return
		}
		if s.lose > 0 {
			s.lose--
			panic(http.ErrAbortHandler) // the connection closes without an answer
		}
		answer(w, map[string]any{"tasks": []map[string]string{{"taskArn": found.arn}}})
	case "CreateService":
		answer(w, map[string]any{"service": map[string]string{"serviceArn": s.create(token)}})
	default:
		fail(w, "InvalidAction", nil)
	}
}

// run returns the task of the token, which is a new one where none is remembered. The cluster is one of the parameters, and a part of the
// token's name.
func (s *Tasks) run(token, parameters string) task {
	now := s.Now()
	for _, t := range s.tasks {
		if t.token == token && t.alive(now) && cluster(t.parameters) == cluster(parameters) {
			return t
		}
	}
	t := task{token: token, parameters: parameters, arn: fmt.Sprintf("arn:aws:ecs:us-east-1:111122223333:task/%d", len(s.tasks)+1), started: now}
	s.tasks = append(s.tasks, t)
	return t
}

func cluster(parameters string) string {
	var in struct{ Cluster string }
	_ = json.Unmarshal([]byte(parameters), &in)
	return in.Cluster
}

// create returns the service of the token; one without a token is always new.
func (s *Tasks) create(token string) string {
	if token == "" {
		token = fmt.Sprintf("none-%d", len(s.services))
	}
	if s.services == nil {
		s.services = map[string]string{}
	}
	if s.services[token] == "" {
		s.services[token] = fmt.Sprintf("arn:aws:ecs:us-east-1:111122223333:service/%d", len(s.services)+1)
	}
	return s.services[token]
}

// fail writes an error of the AWS JSON protocol.
func fail(w http.ResponseWriter, code string, more map[string]any) {
	body := map[string]any{"__type": code, "message": "refused by the stand-in"}
	maps.Copy(body, more)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(body)
}
