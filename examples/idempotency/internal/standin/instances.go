package standin

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
)

// Instances answers RunInstances of Amazon EC2, and DescribeInstances with the filter client-token, as "Ensuring idempotency in Amazon EC2
// API requests" says: a repeat succeeds without further action, other parameters are IdempotentParameterMismatch, and another Availability
// Zone is another request.
type Instances struct {
	mu       sync.Mutex
	launches []launch
}

// launch is an accepted RunInstances.
type launch struct {
	token, zone, parameters string
	id                      string
}

// Launched returns how many instances were launched.
func (s *Instances) Launched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.launches)
}

// ServeHTTP implements http.Handler.
func (s *Instances) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		refuse(w, "MalformedQueryString")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.PostForm.Get("Action") {
	case "RunInstances":
		one, ok := s.run(r.PostForm)
		if !ok {
			refuse(w, "IdempotentParameterMismatch")
			return
		}
		write(w, runAnswer{Reservation: "r-1", Instances: []instance{one}})
	case "DescribeInstances":
		found := describeAnswer{}
		for _, l := range s.launches {
			if l.token == r.PostForm.Get("Filter.1.Value.1") && r.PostForm.Get("Filter.1.Name") == "client-token" {
				found.Reservations = append(found.Reservations, reservation{Instances: []instance{{ID: l.id, Token: l.token}}})
			}
		}
		write(w, found)
	default:
		refuse(w, "InvalidAction")
	}
}

// run launches one instance, or finds the one of the token.
func (s *Instances) run(form url.Values) (instance, bool) {
	next := launch{
		token: form.Get("ClientToken"), zone: form.Get("Placement.AvailabilityZone"), id: fmt.Sprintf("i-%017x", len(s.launches)+1),
		parameters: parameters(form, "ClientToken", "Placement.AvailabilityZone"),
	}
	for _, l := range s.launches {
		if l.token == next.token && l.zone == next.zone {
			return instance{ID: l.id, Token: l.token}, l.parameters == next.parameters
		}
	}
	s.launches = append(s.launches, next)
	return instance{ID: next.id, Token: next.token}, true
}

// parameters writes a form without some of its members, in one order.
func parameters(form url.Values, without ...string) string {
	rest := maps.Clone(form)
	for _, name := range without {
		rest.Del(name)
	}
	return rest.Encode()
}

type instance struct {
	ID    string `xml:"instanceId"`
	Token string `xml:"clientToken"`
}

type reservation struct {
	Instances []instance `xml:"instancesSet>item"`
}

type runAnswer struct {
	XMLName     xml.Name   `xml:"http://ec2.amazonaws.com/doc/2016-11-15/ RunInstancesResponse"`
	Reservation string     `xml:"reservationId"`
	Instances   []instance `xml:"instancesSet>item"`
}

type describeAnswer struct {
	XMLName      xml.Name      `xml:"http://ec2.amazonaws.com/doc/2016-11-15/ DescribeInstancesResponse"`
	Reservations []reservation `xml:"reservationSet>item"`
}

type refusal struct {
	XMLName xml.Name `xml:"Response"`
	Code    string   `xml:"Errors>Error>Code"`
	Message string   `xml:"Errors>Error>Message"`
}

func refuse(w http.ResponseWriter, code string) {
	w.WriteHeader(http.StatusBadRequest)
	write(w, refusal{Code: code, Message: "refused by the stand-in"})
}

func write(w http.ResponseWriter, body any) {
	_ = xml.NewEncoder(w).Encode(body)
}
