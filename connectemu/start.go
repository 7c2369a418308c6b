package connectemu

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// start is StartOutboundVoiceContact: shape, token, resources, destination, quota, ring.
func (s *Server) start(cfg *Config, x *exchange, now time.Time) reply {
	if x.malformed != nil {
		return s.failed(cfg, x, refuse(CodeSerialization, "The request body cannot be read: "+x.malformed.Error()), now)
	}
	if err := x.start.check(cfg); err != nil {
		return s.failed(cfg, x, err, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, outcome, err := s.startLocked(cfg, x.start, now)
	if err != nil {
		s.noteFailureLocked(cfg, x.start, err, now)
		return failure(err)
	}
	x.record.ContactID = c.id
	return success(outcome, struct {
		ContactID string `json:"ContactId"`
	}{c.id})
}

// startLocked returns the contact that answers the request: an earlier one of its token, or a new one that rings.
func (s *Server) startLocked(cfg *Config, req *startRequest, now time.Time) (*contact, Outcome, *apiError) {
	entry, existing, err := s.resolveTokenLocked(cfg, req, now)
	if err != nil || existing != nil {
		return existing, OutcomeReplayed, err
	}
	if err := checkResources(cfg, req); err != nil {
		return nil, "", err
	}
	fate := s.fateLocked(req.DestinationPhoneNumber)
	if err := checkDestination(cfg, req.DestinationPhoneNumber, fate); err != nil {
		return nil, "", err
	}
	calls := s.activeLocked(req.InstanceID, ChannelVoice)
	fate, counted, err := cfg.admit(fate, calls.at(now))
	if err != nil {
		return nil, "", err
	}
	s.made++
	c := newContact(guid(cfg.Seed, roomContacts, s.made), len(s.rings)+1, req, fate, cfg, now)
	if counted {
		calls.add(c)
	} else {
		c.released = true
	}
	s.keepLocked(c)
	s.bindLocked(cfg, entry, c, now)
	s.beginFlowLocked(cfg, c)
	return c, OutcomeRang, nil
}

// keepLocked adds a contact to the history and its indexes.
func (s *Server) keepLocked(c *contact) {
	s.order = append(s.order, c)
	s.byID[c.id] = c
	s.planEventsLocked(c)
	s.tellTruth(c)
	if c.channel != ChannelVoice {
		return
	}
	s.rings = append(s.rings, c)
	number, token := c.request.DestinationPhoneNumber, c.request.ClientToken
	s.byNumber[number] = append(s.byNumber[number], c)
	if token != "" {
		s.byToken[token] = append(s.byToken[token], c)
	}
}

// resolveTokenLocked returns the live entry of the request's token, and the contact that answers the request if the entry has one.
func (s *Server) resolveTokenLocked(cfg *Config, req *startRequest, now time.Time) (*tokenEntry, *contact, *apiError) {
	store, validity := s.tokensOfLocked(cfg, req.op)
	if req.ClientToken == "" || store == nil {
		return nil, nil, nil
	}
	entry := store.find(tokenKeyOf(cfg, req), now, validity)
	switch {
	case entry == nil:
		return nil, nil, nil
	case entry.spent != nil:
		return entry, nil, entry.spent
	case entry.contact == nil || entry.hidden(cfg.TokenLag, now):
		return entry, nil, nil
	case cfg.TokenSameOtherParams == RefuseMismatch && !sameRequest(entry.contact.request, req):
		return entry, nil, refuse(CodeInvalidRequest, "The client token was used with other parameters.")
	case cfg.Reading == A1Prime && entry.contact.ended(now):
		return entry, nil, nil
	}
	if cfg.TokenRefreshes {
		store.refresh(entry, now)
	}
	return entry, entry.contact, nil
}

func tokenKeyOf(cfg *Config, req *startRequest) tokenKey {
	if cfg.TokenScope == ScopeAccount {
		return tokenKey{token: req.ClientToken}
	}
	return tokenKey{scope: req.InstanceID, token: req.ClientToken}
}

// sameRequest compares what two bodies mean; the order of members and of attributes is not part of it.
func sameRequest(a, b *startRequest) bool {
	return maps.Equal(a.Attributes, b.Attributes) && maps.Equal(a.References, b.References) && reflect.DeepEqual(a.without(), b.without())
}

// without returns the request without its maps, for which absent and empty are the same.
func (r *startRequest) without() startRequest {
	plain := *r
	plain.Attributes, plain.References = nil, nil
	return plain
}

func (s *Server) fateLocked(number string) Fate {
	if fate, ok := s.phones[number]; ok {
		return fate
	}
	return DefaultFate(number)
}

// checkResources answers ResourceNotFoundException for what the configuration does not know.
func checkResources(cfg *Config, req *startRequest) *apiError {
	switch {
	case !cfg.hasInstance(req.InstanceID):
		return refuse(CodeNotFound, "The instance was not found.")
	case slices.Contains(cfg.OutboundOff, req.InstanceID):
		return refuse(CodeNotPermitted, "Outbound calls are not enabled for the instance.")
	case !cfg.hasStartableFlow(req.ContactFlowID):
		return refuse(CodeNotFound, "The flow was not found.")
	case req.SourcePhoneNumber == "" && slices.Contains(cfg.Anonymous, req.QueueID):
		return refuse(CodeInvalidRequest, "The queue has no outbound caller id number.")
	case req.QueueID != "" && !cfg.hasQueue(req.QueueID):
		return refuse(CodeNotFound, "The queue was not found.")
	case req.SourcePhoneNumber != "" && len(cfg.SourceNumbers) > 0 && !slices.Contains(cfg.SourceNumbers, req.SourcePhoneNumber):
		return refuse(CodeNotFound, "The source phone number was not found.")
	}
	return nil
}

// hasStartableFlow reports whether a flow exists, is published and was not put away.
func (c *Config) hasStartableFlow(id string) bool {
	return c.hasFlow(id) && !slices.Contains(c.Drafts, id) && !slices.Contains(c.Archived, id)
}

// checkDestination refuses numbers that are never dialed.
func checkDestination(cfg *Config, number string, fate Fate) *apiError {
	denied := slices.ContainsFunc(cfg.DeniedPrefixes, func(prefix string) bool { return strings.HasPrefix(number, prefix) })
	switch {
	case fate == FateNotAllowed || denied:
		return refuse(CodeNotAllowed, "Outbound calls to the destination number are not allowed.")
	case fate == FateNotPermitted:
		return refuse(CodeNotPermitted, "The contact is not permitted.")
	}
	return nil
}

// failed answers an error and, for a start, lets it have its effect on the token.
func (s *Server) failed(cfg *Config, x *exchange, err *apiError, now time.Time) reply {
	if x.start != nil && x.malformed == nil {
		s.mu.Lock()
		s.noteFailureLocked(cfg, x.start, err, now)
		s.mu.Unlock()
	}
	answer := failure(err)
	if err.message == bareThrottle {
		answer.code, answer.body = "", []byte("{}")
	}
	return answer
}

// noteFailureLocked applies TokenOnRefusal, TokenOnThrottle and TokenOnFailure. A token of a wrong length, or of an instance that does not exist,
// has no place to be remembered in.
func (s *Server) noteFailureLocked(cfg *Config, req *startRequest, err *apiError, now time.Time) {
	if req.ClientToken == "" || tooLong(req.ClientToken, 500) || !slices.Contains(cfg.Instances, req.InstanceID) {
		return
	}
	store, validity := s.tokensOfLocked(cfg, req.op)
	if store == nil {
		return
	}
	switch classOf(err.code) {
	case classRefusal:
		store.failed(tokenKeyOf(cfg, req), cfg.TokenOnRefusal, err, now, validity)
	case classThrottle:
		store.failed(tokenKeyOf(cfg, req), cfg.TokenOnThrottle, err, now, validity)
	case classFailure:
		store.failed(tokenKeyOf(cfg, req), cfg.TokenOnFailure, err, now, validity)
	case classOther:
	}
}

// noteServiceFailure applies TokenOnFailure to a start that the service itself failed before it was served. A proxy in front of the
// service, or a broken connection, touches no token, and neither does a request whose signature is bad.
func (s *Server) noteServiceFailure(x *exchange, r *http.Request, sent reply) {
	cfg := s.cfg.Load()
	now := cfg.Clock.Now()
	if cfg.TokenOnFailure == TokenUntouched || classOf(sent.code) != classFailure || x.start == nil || x.malformed != nil {
		return
	}
	if s.authenticate(cfg, r, x.hash, now) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteFailureLocked(cfg, x.start, refuse(sent.code, "The service failed."), now)
}
