package standin

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"sync"
)

// Repeat is what CreateStack answers to the same token: the reference lists two errors and describes neither, and says that the token is there
// for retries.
type Repeat int

// The readings.
const (
	AnswersSame  Repeat = iota // with the stack
	TokenExists                // TokenAlreadyExistsException
	StackExists                // AlreadyExistsException
	repeatsCount = iota
)

// Repeats returns every reading.
func Repeats() []Repeat {
	list := make([]Repeat, 0, repeatsCount)
	for r := range Repeat(repeatsCount) {
		list = append(list, r)
	}
	return list
}

// Stacks answers CreateStack, DescribeStacks and DescribeStackEvents of AWS CloudFormation, under any of the readings of a repeat.
type Stacks struct {
	Repeat Repeat

	mu     sync.Mutex
	stacks []stack
}

type stack struct {
	Name    string     `xml:"StackName"`
	ID      string     `xml:"StackId"`
	Status  string     `xml:"StackStatus"`
	Created string     `xml:"CreationTime"`
	Tags    []stackTag `xml:"Tags>member"`
	token   string
}

type stackTag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

type stackEvent struct {
	Stack    string `xml:"StackId"`
	Event    string `xml:"EventId"`
	Name     string `xml:"StackName"`
	Resource string `xml:"PhysicalResourceId"`
	Type     string `xml:"ResourceType"`
	Status   string `xml:"ResourceStatus"`
	Token    string `xml:"ClientRequestToken"`
	At       string `xml:"Timestamp"`
}

const stackTime = "2026-11-29T03:00:00Z"

// Created returns how many stacks were created.
func (s *Stacks) Created() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.stacks)
}

// ServeHTTP implements http.Handler.
func (s *Stacks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		refuseStack(w, "ValidationError")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.find(r.PostForm.Get("StackName"))
	switch action := r.PostForm.Get("Action"); {
	case action == "CreateStack":
		s.create(w, r, one)
	case one == nil:
		refuseStack(w, "ValidationError") // that is what CloudFormation answers for a stack that does not exist
	case action == "DescribeStacks":
		write(w, struct {
			XMLName xml.Name `xml:"DescribeStacksResponse"`
			Stacks  []stack  `xml:"DescribeStacksResult>Stacks>member"`
		}{Stacks: []stack{*one}})
	case action == "DescribeStackEvents":
		write(w, struct {
			XMLName xml.Name     `xml:"DescribeStackEventsResponse"`
			Events  []stackEvent `xml:"DescribeStackEventsResult>StackEvents>member"`
		}{Events: []stackEvent{{
			Stack: one.ID, Event: "1", Name: one.Name, Resource: one.ID, Type: "AWS::CloudFormation::Stack", Status: "CREATE_IN_PROGRESS",
			Token: one.token, At: stackTime,
		}}})
	default:
		refuseStack(w, "InvalidAction")
	}
}

func (s *Stacks) find(name string) *stack {
	for i := range s.stacks {
		if s.stacks[i].Name == name || s.stacks[i].ID == name {
			return &s.stacks[i]
		}
	}
	return nil
}

func (s *Stacks) create(w http.ResponseWriter, r *http.Request, one *stack) {
	token := r.PostForm.Get("ClientRequestToken")
	switch {
	case one != nil && (one.token != token || s.Repeat == StackExists):
		refuseStack(w, "AlreadyExistsException")
		return
	case one != nil && s.Repeat == TokenExists:
		refuseStack(w, "TokenAlreadyExistsException")
		return
	case one == nil:
		s.stacks = append(s.stacks, stack{
			Name: r.PostForm.Get("StackName"), Status: "CREATE_IN_PROGRESS", Created: stackTime, token: token,
			ID:   fmt.Sprintf("arn:aws:cloudformation:us-east-1:111122223333:stack/%s/%d", r.PostForm.Get("StackName"), len(s.stacks)+1),
			Tags: []stackTag{{Key: r.PostForm.Get("Tags.member.1.Key"), Value: r.PostForm.Get("Tags.member.1.Value")}},
		})
		one = &s.stacks[len(s.stacks)-1]
	}
	write(w, struct {
		XMLName xml.Name `xml:"CreateStackResponse"`
		ID      string   `xml:"CreateStackResult>StackId"`
	}{ID: one.ID})
}

func refuseStack(w http.ResponseWriter, code string) {
	w.WriteHeader(http.StatusBadRequest)
	write(w, struct {
		XMLName xml.Name `xml:"ErrorResponse"`
		Code    string   `xml:"Error>Code"`
		Message string   `xml:"Error>Message"`
	}{Code: code, Message: "refused by the stand-in"})
}
