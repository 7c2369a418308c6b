package connectemu

import (
	"fmt"
	"net/http"
	"time"
)

// Span is a duration in JSON: a text such as "5m0s", or "off" for a limit that is switched off.
type Span time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Span) MarshalText() ([]byte, error) {
	if d < 0 {
		return []byte("off"), nil
	}
	return []byte(time.Duration(d).String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Span) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*d = Off
		return nil
	}
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%w: duration %q cannot be read: write it like 90s, 5m or off", ErrConfig, text)
	}
	*d = Span(parsed)
	return nil
}

// Switches are the parts of a [Config] that the management handler shows and changes. Numbers and rates are off when negative.
type Switches struct {
	Reading                 Reading     `json:"reading"`
	TokenValidity           Span        `json:"tokenValidity"`
	TokenScope              TokenScope  `json:"tokenScope"`
	TokenSameOtherParams    SameToken   `json:"tokenSameOtherParams"`
	TokenOnRefusal          TokenEffect `json:"tokenOnRefusal"`
	TokenOnThrottle         TokenEffect `json:"tokenOnThrottle"`
	TokenOnFailure          TokenEffect `json:"tokenOnFailure"`
	TokenRefreshes          bool        `json:"tokenRefreshes"`
	TokenLag                Span        `json:"tokenLag"`
	SignatureWindow         Span        `json:"signatureWindow"`
	StartRate               Rate        `json:"startRate"`
	DescribeRate            Rate        `json:"describeRate"`
	StopRate                Rate        `json:"stopRate"`
	SearchRate              Rate        `json:"searchRate"`
	LookupRate              Rate        `json:"lookupRate"`
	AttributesRate          Rate        `json:"attributesRate"`
	TagRate                 Rate        `json:"tagRate"`
	ThrottleCode            string      `json:"throttleCode"`
	MaxConcurrentCalls      int         `json:"maxConcurrentCalls"`
	OverQuota               OverQuota   `json:"overQuota"`
	SearchableAttributes    []string    `json:"searchableAttributes"`
	SearchSeesOnlyCompleted bool        `json:"searchSeesOnlyCompleted"`
	SearchDelay             Span        `json:"searchDelay"`
	RingTime                Span        `json:"ringTime"`
	TalkTime                Span        `json:"talkTime"`
	Retention               Span        `json:"retention"`

	EventReasons       EventReasons `json:"eventReasons"`
	EventInstanceFirst bool         `json:"eventInstanceFirst"`

	Creating    []string `json:"creating"`
	OutboundOff []string `json:"outboundOff"`
	Drafts      []string `json:"drafts"`
	Archived    []string `json:"archived"`
	Anonymous   []string `json:"anonymous"`
}

func switchesOf(c *Config) Switches {
	return Switches{
		Reading: c.Reading, TokenValidity: Span(c.TokenValidity), TokenScope: c.TokenScope,
		TokenSameOtherParams: c.TokenSameOtherParams, TokenOnRefusal: c.TokenOnRefusal, TokenOnThrottle: c.TokenOnThrottle,
		TokenLag: Span(c.TokenLag), SignatureWindow: Span(c.SignatureWindow),
		StartRate: c.StartRate, DescribeRate: c.DescribeRate, StopRate: c.StopRate, SearchRate: c.SearchRate,
		MaxConcurrentCalls: c.MaxConcurrentCalls, SearchSeesOnlyCompleted: c.SearchSeesOnlyCompleted,
		SearchDelay: Span(c.SearchDelay), RingTime: Span(c.RingTime), TalkTime: Span(c.TalkTime),
		TokenOnFailure: c.TokenOnFailure, TokenRefreshes: c.TokenRefreshes, AttributesRate: c.AttributesRate, TagRate: c.TagRate,
		ThrottleCode: c.ThrottleCode, OverQuota: c.OverQuota, SearchableAttributes: c.SearchableAttributes, Retention: Span(c.Retention),
		EventReasons: c.EventReasons, EventInstanceFirst: c.EventInstanceFirst,
		LookupRate: c.LookupRate, Creating: c.Creating, OutboundOff: c.OutboundOff, Drafts: c.Drafts, Archived: c.Archived, Anonymous: c.Anonymous,
	}
}

func (v Switches) apply(c *Config) {
	c.Reading, c.TokenValidity, c.TokenScope = v.Reading, time.Duration(v.TokenValidity), v.TokenScope
	c.TokenSameOtherParams, c.TokenOnRefusal, c.TokenOnThrottle = v.TokenSameOtherParams, v.TokenOnRefusal, v.TokenOnThrottle
	c.TokenLag, c.SignatureWindow = time.Duration(v.TokenLag), time.Duration(v.SignatureWindow)
	c.StartRate, c.DescribeRate, c.StopRate, c.SearchRate = v.StartRate, v.DescribeRate, v.StopRate, v.SearchRate
	c.MaxConcurrentCalls, c.SearchSeesOnlyCompleted = v.MaxConcurrentCalls, v.SearchSeesOnlyCompleted
	c.LookupRate, c.Creating, c.OutboundOff, c.Drafts, c.Archived, c.Anonymous = v.LookupRate, v.Creating, v.OutboundOff, v.Drafts, v.Archived, v.Anonymous
	c.TokenOnFailure, c.TokenRefreshes, c.AttributesRate, c.TagRate = v.TokenOnFailure, v.TokenRefreshes, v.AttributesRate, v.TagRate
	c.ThrottleCode, c.OverQuota, c.SearchableAttributes, c.Retention = v.ThrottleCode, v.OverQuota, v.SearchableAttributes, time.Duration(v.Retention)
	c.EventReasons, c.EventInstanceFirst = v.EventReasons, v.EventInstanceFirst
	c.SearchDelay, c.RingTime, c.TalkTime = time.Duration(v.SearchDelay), time.Duration(v.RingTime), time.Duration(v.TalkTime)
}

// manageConfig changes the switches that are named and leaves the others. Two changes at once may overwrite each other.
func (s *Server) manageConfig(w http.ResponseWriter, r *http.Request) {
	wanted := switchesOf(s.cfg.Load())
	if !readOrder(w, r, &wanted) {
		return
	}
	if err := s.Update(wanted.apply); err != nil {
		complain(w, http.StatusBadRequest, err)
		return
	}
	s.note("configuration changed")
	s.answerSwitches(w)
}

func (s *Server) answerSwitches(w http.ResponseWriter) { answer(w, switchesOf(s.cfg.Load())) }
