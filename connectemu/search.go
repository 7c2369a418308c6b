package connectemu

import (
	"slices"
	"strings"
	"time"
)

// maxFound is how many results a search has at most (admin guide: 10K).
const maxFound = 10_000

// searchSummary is one result of SearchContacts. It has neither Attributes nor DisconnectReason.
type searchSummary struct {
	Arn                 string
	ID                  string `json:"Id"`
	InitiationMethod    string
	Channel             Channel
	Name                string     `json:",omitzero"`
	QueueInfo           *wireQueue `json:",omitzero"`
	InitiationTimestamp epoch
	DisconnectTimestamp epoch `json:",omitzero"`
	Tags                map[string]string
}

// searchResult is the answer to SearchContacts.
type searchResult struct {
	Contacts   []searchSummary
	NextToken  string `json:",omitzero"`
	TotalCount int
}

// search is SearchContacts.
func (s *Server) search(cfg *Config, x *exchange, now time.Time) reply {
	q, err := parseSearch(x.body)
	if err != nil {
		return failure(err)
	}
	if !slices.Contains(cfg.Instances, q.instanceID) {
		return failure(refuse(CodeNotFound, "The instance was not found."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*contact
	for _, c := range s.order {
		if len(found) < maxFound && c.visible(cfg, now) && q.matches(c, cfg, now) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, q.compare)
	result := searchResult{Contacts: []searchSummary{}, TotalCount: len(found)}
	from := min(q.offset, len(found))
	to := min(from+q.maxResults, len(found))
	for _, c := range found[from:to] {
		result.Contacts = append(result.Contacts, c.summary(cfg, now))
	}
	if to < len(found) {
		result.NextToken = pageToken(to)
	}
	return success(OutcomeServed, result)
}

// visible reports whether the search index has the contact.
func (c *contact) visible(cfg *Config, now time.Time) bool {
	from := c.initiated
	if cfg.SearchSeesOnlyCompleted {
		from = c.disconnected
	}
	return !now.Before(from.Add(cfg.SearchDelay)) && c.kept(cfg, now)
}

func (q *searchRequest) matches(c *contact, cfg *Config, now time.Time) bool {
	return c.request.InstanceID == q.instanceID && q.inRange(c, now) &&
		(len(q.initiationMethods) == 0 || slices.Contains(q.initiationMethods, "API")) &&
		(len(q.channels) == 0 || slices.Contains(q.channels, string(c.channel))) &&
		(len(q.queueIDs) == 0 || slices.Contains(q.queueIDs, c.request.QueueID)) &&
		(q.name == nil || q.name.matches(c.request.Name)) && q.attributes.matches(c.attributes, cfg.SearchableAttributes)
}

// inRange reports whether the time the range is about has come and lies in it, both ends included.
func (q *searchRequest) inRange(c *contact, now time.Time) bool {
	var at time.Time
	switch q.timeType {
	case "INITIATION_TIMESTAMP":
		at = c.initiated
	case "DISCONNECT_TIMESTAMP":
		if !c.ended(now) {
			return false
		}
		at = c.disconnected
	default: // a contact without an agent, a queue time or a schedule has none of the other times
		return false
	}
	at = at.Truncate(time.Millisecond) // as precise as the wire
	return !at.Before(q.start) && !at.After(q.end)
}

// matches compares whole names for MATCH_EXACT and looks for words or phrases, upper and lower case alike, for the others.
func (n *nameCriteria) matches(name string) bool {
	contains := func(text string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(text)) }
	switch n.MatchType {
	case "MATCH_EXACT":
		return slices.Contains(n.SearchText, name)
	case "MATCH_ANY":
		return slices.ContainsFunc(n.SearchText, contains)
	case "MATCH_NONE":
		return !slices.ContainsFunc(n.SearchText, contains)
	default: // MATCH_ALL
		return !slices.ContainsFunc(n.SearchText, func(text string) bool { return !contains(text) })
	}
}

// compare orders two contacts; those that are equal stay in the order in which they were started.
func (q *searchRequest) compare(a, b *contact) int {
	order := 0
	switch q.sortField {
	case "INITIATION_TIMESTAMP":
		order = a.initiated.Compare(b.initiated)
	case "DISCONNECT_TIMESTAMP":
		order = a.disconnected.Compare(b.disconnected)
	}
	if q.descending {
		return -order
	}
	return order
}

func (c *contact) summary(cfg *Config, now time.Time) searchSummary {
	v := c.view(now)
	summary := searchSummary{
		Arn: c.arn(cfg), ID: c.id, InitiationMethod: "API", Channel: c.channel, Name: v.Name,
		InitiationTimestamp: epoch(v.InitiatedAt), DisconnectTimestamp: epoch(v.DisconnectedAt), Tags: c.tags(),
	}
	if v.QueueID != "" {
		summary.QueueInfo = &wireQueue{ID: v.QueueID}
	}
	return summary
}
