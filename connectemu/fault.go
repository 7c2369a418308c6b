package connectemu

// Fault is one way of misbehaving.
type Fault int

// The faults. "Place" faults let the request do its work first (a start dials, a describe reads) and then spoil the answer;
// they are what "ambiguous" means. The others keep the request from its work.
const (
	// PlaceThen500 answers 500 InternalServiceException.
	PlaceThen500 Fault = iota
	// PlaceThen502 answers 502 with the HTML page of a proxy.
	PlaceThen502
	// PlaceThen503 answers 503 ServiceUnavailableException.
	PlaceThen503
	// PlaceThen504 answers 504 with the HTML page of a proxy.
	PlaceThen504
	// PlaceThenReset resets the connection instead of answering.
	PlaceThenReset
	// PlaceThenDelay answers after Rule.Delay, which is meant to be longer than the client waits.
	PlaceThenDelay
	// PlaceThenTruncate answers 200 and breaks off in the middle of the body.
	PlaceThenTruncate
	// PlaceThenBraces answers 200 with {}.
	PlaceThenBraces
	// PlaceThenEmpty answers 200 with no body.
	PlaceThenEmpty
	// Refuse answers Rule.Code, InvalidRequestException when empty, after the signature was checked and before the token is
	// looked up: even a token that has started a contact is refused.
	Refuse
	// Throttle answers 429 with Rule.Code, TooManyRequestsException when empty, at the same place as Refuse.
	Throttle
	// ThrottleBare answers 429 without an error name.
	ThrottleBare
	// Fail500 answers 500 InternalServiceException and does nothing.
	Fail500
	// Fail502 answers 502 with the HTML page of a proxy and does nothing.
	Fail502
	// Fail503 answers 503 ServiceUnavailableException and does nothing.
	Fail503
	// Fail504 answers 504 with the HTML page of a proxy and does nothing.
	Fail504
	// ResetBefore reads the request, does nothing and resets the connection.
	ResetBefore
	// Proxy408 answers 408 with the HTML page of a proxy and does nothing.
	Proxy408
	// Proxy413 answers 413 with the HTML page of a proxy and does nothing.
	Proxy413
	// Slow waits for Rule.Delay and then serves the request; when the client has gone by then, it does nothing.
	Slow
	// ArriveLate waits for Rule.Delay and then serves the request whether or not the client is still there, as a packet does
	// that was stuck in the network. Its signature is judged at the later time.
	ArriveLate
)

var faultWords = []string{
	"place-then-500", "place-then-502", "place-then-503", "place-then-504", "place-then-reset", "place-then-delay",
	"place-then-truncate", "place-then-{}", "place-then-empty", "refuse", "throttle", "throttle-bare",
	"fail-500", "fail-502", "fail-503", "fail-504", "reset-before", "proxy-408", "proxy-413", "slow", "arrive-late",
}

// String returns the word of the fault, such as "place-then-reset".
func (f Fault) String() string { return word("Fault", faultWords, f) }

// Faults returns every fault, in the order of their words in the documentation.
func Faults() []Fault {
	all := make([]Fault, len(faultWords))
	for i := range all {
		all[i] = Fault(i)
	}
	return all
}

// Places reports whether a request under this fault is still served, so that a start may ring.
func (f Fault) Places() bool {
	switch f {
	case PlaceThen500, PlaceThen502, PlaceThen503, PlaceThen504, PlaceThenReset, PlaceThenDelay, PlaceThenTruncate,
		PlaceThenBraces, PlaceThenEmpty, Slow, ArriveLate:
		return true
	case Refuse, Throttle, ThrottleBare, Fail500, Fail502, Fail503, Fail504, ResetBefore, Proxy408, Proxy413:
		return false
	}
	return false
}

// takesDelay reports whether Rule.Delay belongs to the fault.
func (f Fault) takesDelay() bool { return f == PlaceThenDelay || f == Slow || f == ArriveLate }

// takesCode reports whether Rule.Code belongs to the fault.
func (f Fault) takesCode() bool { return f == Refuse || f == Throttle }
