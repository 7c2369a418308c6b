package connectemu

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchRequest is the body of SearchContacts, with the criteria an outbound voice contact can meet.
type searchRequest struct {
	instanceID        string
	timeType          string
	start, end        time.Time
	name              *nameCriteria
	initiationMethods []string
	channels          []string
	queueIDs          []string
	attributes        *attributeCriteria
	sortField         string
	descending        bool
	maxResults        int
	offset            int
}

// nameCriteria is the criterion Name.
type nameCriteria struct {
	SearchText []string
	MatchType  string
}

// maxSearchRange is the longest time range (admin guide: 8 weeks; a public code base notes that more than 1345 hours are refused).
const maxSearchRange = 1345 * time.Hour

// timeTypes are the times a range may be about. Contacts of the emulator have only the first and the second.
var timeTypes = []string{
	"INITIATION_TIMESTAMP", "DISCONNECT_TIMESTAMP", "SCHEDULED_TIMESTAMP", "CONNECTED_TO_AGENT_TIMESTAMP", "ENQUEUE_TIMESTAMP",
}

var sortFields = []string{
	"INITIATION_TIMESTAMP", "DISCONNECT_TIMESTAMP", "SCHEDULED_TIMESTAMP", "CONNECTED_TO_AGENT_TIMESTAMP", "INITIATION_METHOD",
	"CHANNEL", "EXPIRY_TIMESTAMP",
}

var matchTypes = []string{"MATCH_EXACT", "MATCH_ANY", "MATCH_ALL", "MATCH_NONE"}

// parseSearch reads a body and applies the documented limits.
func parseSearch(body []byte) (*searchRequest, *apiError) {
	var instanceID, nextToken string
	var maxResults *int
	var timeRange *struct {
		Type               string
		StartTime, EndTime *float64
	}
	var criteria map[string]json.RawMessage
	var order struct{ FieldName, Order string }
	err := decodeExact(body, map[string]any{
		"InstanceId": &instanceID, "NextToken": &nextToken, "MaxResults": &maxResults, "TimeRange": &timeRange,
		"SearchCriteria": &criteria, "Sort": &order,
	})
	switch {
	case err != nil:
		return nil, refuse(CodeSerialization, "The request body cannot be read: "+err.Error())
	case instanceID == "":
		return nil, refuse(CodeInvalidRequest, "InstanceId is required.")
	case !isGUID(instanceID):
		return nil, badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case timeRange == nil || timeRange.Type == "" || timeRange.StartTime == nil || timeRange.EndTime == nil:
		return nil, refuse(CodeInvalidRequest, "TimeRange with Type, StartTime and EndTime is required.")
	case maxResults != nil && (*maxResults < 1 || *maxResults > 100):
		return nil, badParameter("MaxResults", "must be from 1 to 100.")
	}
	q := &searchRequest{instanceID: instanceID, timeType: timeRange.Type, maxResults: 100}
	if maxResults != nil {
		q.maxResults = *maxResults
	}
	q.start, q.end = fromEpoch(*timeRange.StartTime), fromEpoch(*timeRange.EndTime)
	apiErr := firstError(
		q.checkRange,
		func() *apiError { return q.setOrder(order.FieldName, order.Order) },
		func() *apiError { return q.setCriteria(criteria) },
		func() *apiError { return q.setNextToken(nextToken) },
	)
	return q, apiErr
}

func fromEpoch(seconds float64) time.Time {
	const most = 253402300799 // the end of the year 9999, beyond which seconds overflow
	return time.UnixMilli(int64(math.Round(min(max(seconds, -most), most) * 1000))).UTC()
}

func (q *searchRequest) checkRange() *apiError {
	switch {
	case !slices.Contains(timeTypes, q.timeType):
		return badParameter("TimeRange", "has an unknown Type.")
	case q.end.Before(q.start):
		return badParameter("TimeRange", "ends before it starts.")
	case q.end.Sub(q.start) > maxSearchRange:
		return badParameter("TimeRange", "must be at most 8 weeks long.")
	}
	return nil
}

func (q *searchRequest) setOrder(field, order string) *apiError {
	if field == "" && order == "" {
		q.sortField, q.descending = timeTypes[0], true
		return nil
	}
	if !slices.Contains(sortFields, field) || (order != "ASCENDING" && order != "DESCENDING") {
		return badParameter("Sort", "has an unknown FieldName or Order.")
	}
	q.sortField, q.descending = field, order == "DESCENDING"
	return nil
}

// setCriteria reads the criteria it knows and refuses the others: an unknown criterion must not look like one that nothing meets.
func (q *searchRequest) setCriteria(criteria map[string]json.RawMessage) *apiError {
	targets := map[string]any{"Name": &q.name, "InitiationMethods": &q.initiationMethods, "Channels": &q.channels, "QueueIds": &q.queueIDs, "SearchableContactAttributes": &q.attributes}
	for _, member := range slices.Sorted(maps.Keys(criteria)) {
		target, ok := targets[member]
		if !ok {
			return refuse(CodeInvalidRequest, "SearchCriteria."+member+" is not known to the emulator.")
		}
		if err := json.Unmarshal(criteria[member], target); err != nil {
			return refuse(CodeSerialization, "The request body cannot be read: "+err.Error())
		}
	}
	if err := q.attributes.check(); err != nil || q.name == nil {
		return err
	}
	switch {
	case !slices.Contains(matchTypes, q.name.MatchType):
		return badParameter("SearchCriteria.Name", "has an unknown MatchType.")
	case len(q.name.SearchText) > 100:
		return badParameter("SearchCriteria.Name", "must have at most 100 texts.")
	case slices.ContainsFunc(q.name.SearchText, func(text string) bool { return tooLong(text, 128) }):
		return badParameter("SearchCriteria.Name", "has a text over 128 characters.")
	}
	return nil
}

// pageToken is the text behind a NextToken: opaque to clients, bound to nothing but the place.
func pageToken(offset int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "after %d", offset))
}

func (q *searchRequest) setNextToken(token string) *apiError {
	if token == "" {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		q.offset, err = strconv.Atoi(strings.TrimPrefix(string(text), "after "))
	}
	if err != nil || q.offset < 0 {
		return badParameter("NextToken", "is not one that the emulator returned.")
	}
	return nil
}
