package connectemu

import (
	"fmt"
	"time"
)

// Digital are the settings of one kind of contact that rings no phone: a chat or a task. The zero value has every documented limit on.
type Digital struct {
	// Rate is the bucket of the operation: 5/s with a burst of 8 for StartChatContact, 2/s with a burst of 5 for StartTaskContact.
	Rate Rate
	// MaxActive is how many contacts of the kind an instance may have at once. 0 means 500 chats or 2500 tasks.
	MaxActive int
	// TokenValidity is how long a token of the operation is remembered, which AWS does not state. 0 means 7 days, as for calls; [Off] means that
	// tokens are not honored at all.
	TokenValidity time.Duration
	// Lasts is how long a contact lasts whose request does not say: 0 means 25 hours for a chat, as documented, and 7 days for a task,
	// which is an assumption.
	Lasts time.Duration
}

// Defaults of [Digital].
const (
	DefaultMaxChats = 500
	DefaultMaxTasks = 2500
	DefaultChatTime = 25 * time.Hour
	DefaultTaskTime = 7 * 24 * time.Hour
)

func (d *Digital) fill(rate Rate, most int, lasts time.Duration) {
	fill(&d.Rate, rate)
	fill(&d.MaxActive, most)
	fill(&d.TokenValidity, DefaultTokenValidity)
	fill(&d.Lasts, lasts)
}

func (d *Digital) check(field string) error {
	switch {
	case d.Rate.PerSecond >= 0 && d.Rate.Burst < 1:
		return fmt.Errorf("%w: %s.Rate has a burst below 1: nothing would ever pass; use Unlimited to switch it off", ErrConfig, field)
	case d.TokenValidity < 0 && d.TokenValidity != Off:
		return fmt.Errorf("%w: %s.TokenValidity is negative: use Off for tokens that are not honored", ErrConfig, field)
	case d.Lasts < 0:
		return fmt.Errorf("%w: %s.Lasts is negative: give a duration of zero or more", ErrConfig, field)
	}
	return nil
}

// digital returns the settings of an operation and the channel of its contacts; ok is false for the others.
func (c *Config) digital(op Operation) (settings *Digital, channel Channel, ok bool) {
	switch op { //nolint:exhaustive // the two operations whose contacts ring no phone
	case OpStartChat:
		return &c.Chats, ChannelChat, true
	case OpStartTask:
		return &c.Tasks, ChannelTask, true
	default:
		return nil, "", false
	}
}

// parserOf returns the reader of the bodies of an operation that starts contacts, nil for the others.
func parserOf(op Operation) func(body []byte) (*startRequest, error) {
	switch op { //nolint:exhaustive // the others read their bodies themselves
	case OpStart:
		return parseStart
	case OpStartChat:
		return parseChat
	case OpStartTask:
		return parseTask
	default:
		return nil
	}
}

// startDigital is StartChatContact or StartTaskContact: shape, token, resources, quota, contact.
func (s *Server) startDigital(cfg *Config, x *exchange, now time.Time) reply {
	if x.malformed != nil {
		return s.failed(cfg, x, refuse(CodeSerialization, "The request body cannot be read: "+x.malformed.Error()), now)
	}
	check := x.start.checkChat
	if x.op == OpStartTask {
		check = func() *apiError { return x.start.checkTask(now) }
	}
	if err := check(); err != nil {
		return s.failed(cfg, x, err, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, outcome, err := s.startDigitalLocked(cfg, x.start, now)
	if err != nil {
		s.noteFailureLocked(cfg, x.start, err, now)
		return failure(err)
	}
	x.record.ContactID = c.id
	if x.op == OpStartChat {
		return success(outcome, c.chatAnswer(cfg))
	}
	return success(outcome, struct {
		ContactID string `json:"ContactId"`
	}{c.id})
}

// startDigitalLocked returns the contact that answers the request: an earlier one of its token, or a new one.
func (s *Server) startDigitalLocked(cfg *Config, req *startRequest, now time.Time) (*contact, Outcome, *apiError) {
	entry, existing, err := s.resolveTokenLocked(cfg, req, now)
	if err != nil || existing != nil {
		return existing, OutcomeReplayed, err
	}
	settings, channel, _ := cfg.digital(req.op)
	if err := s.checkDigitalLocked(cfg, req); err != nil {
		return nil, "", err
	}
	active := s.activeLocked(req.InstanceID, channel)
	if settings.MaxActive >= 0 && active.at(now) >= settings.MaxActive {
		if channel == ChannelTask {
			return nil, "", refuse(CodeServiceQuotaExceeded, "The number of active tasks of the instance is exceeded.")
		}
		return nil, "", refuse(CodeLimitExceeded, "The number of concurrent active chats of the instance is exceeded.")
	}
	lasts := settings.Lasts
	if given := req.lasts(); given > 0 {
		lasts = given
	}
	s.made++
	c := newContact(guid(cfg.Seed, roomContacts, s.made), 0, req, FateAnswers, cfg, now)
	// Nothing rings and nobody answers: the system has the contact from its beginning. Why such contacts end is not documented.
	c.channel, c.connected, c.disconnected, c.reason = channel, now, now.Add(lasts), ""
	active.add(c)
	s.keepLocked(c)
	s.bindLocked(cfg, entry, c, now)
	return c, OutcomeStarted, nil
}

// checkDigitalLocked answers ResourceNotFoundException for what the configuration does not know.
func (s *Server) checkDigitalLocked(cfg *Config, req *startRequest) *apiError {
	if !cfg.hasInstance(req.InstanceID) {
		return refuse(CodeNotFound, "The instance was not found.")
	}
	if flow := req.ContactFlowID; flow != "" && !cfg.hasStartableFlow(flow) {
		return refuse(CodeNotFound, "The flow was not found.")
	}
	if previous := req.previousContact(); previous != "" {
		if c := s.byID[previous]; c == nil || c.request.InstanceID != req.InstanceID {
			return refuse(CodeNotFound, "The previous contact was not found.")
		}
		return s.checkChainLocked(previous)
	}
	return nil
}

// activeLocked returns the count of contacts of a channel that are alive in an instance.
func (s *Server) activeLocked(instanceID string, channel Channel) *callCount {
	key := instanceID
	if channel != ChannelVoice {
		key += " " + string(channel)
	}
	n := s.calls[key]
	if n == nil {
		n = &callCount{}
		s.calls[key] = n
	}
	return n
}

// ContactsOf returns the contacts of one channel as they are now, in the order they were started.
func (s *Server) ContactsOf(channel Channel) []Contact {
	now := s.cfg.Load().Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var views []Contact
	for _, c := range s.order {
		if c.channel == channel {
			views = append(views, c.view(now))
		}
	}
	return views
}
