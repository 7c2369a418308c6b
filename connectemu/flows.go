package connectemu

import (
	"slices"
	"strconv"
)

// DefaultFlow is the flow that ListContactFlows shows when Config.Flows is empty and every flow exists.
const DefaultFlow = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"

// maxFlows is the greatest maxResults of ListContactFlows and usualFlows what it is when it is absent.
const (
	maxFlows   = 1000
	usualFlows = 100
)

// flowTypes are the types a list can be restricted to. Flows of the emulator are of the first.
var flowTypes = []string{
	"CONTACT_FLOW", "CUSTOMER_QUEUE", "CUSTOMER_HOLD", "CUSTOMER_WHISPER", "AGENT_HOLD", "AGENT_WHISPER", "OUTBOUND_WHISPER", "AGENT_TRANSFER",
	"QUEUE_TRANSFER", "CAMPAIGN",
}

// flowSummary is one result of ListContactFlows.
type flowSummary struct {
	ID                string `json:"Id"`
	Arn               string
	Name              string
	ContactFlowType   string
	ContactFlowState  string
	ContactFlowStatus string
}

// listFlows is ListContactFlows.
func listFlows(cfg *Config, x *exchange) reply {
	first, most, err := x.checkFlowQuery(cfg)
	if err != nil {
		return failure(err)
	}
	result := struct {
		ContactFlowSummaryList []flowSummary
		NextToken              string `json:",omitzero"`
	}{ContactFlowSummaryList: []flowSummary{}}
	types := x.query["contactFlowTypes"]
	if len(types) > 0 && !slices.Contains(types, flowTypes[0]) {
		return success(OutcomeServed, result)
	}
	all := cfg.knownFlows()
	from := min(first, len(all))
	to := min(from+most, len(all))
	for _, id := range all[from:to] {
		summary := flowSummary{id, cfg.flowARN(x.instanceID, id), "emulated", flowTypes[0], "ACTIVE", "PUBLISHED"}
		if slices.Contains(cfg.Drafts, id) {
			summary.ContactFlowStatus = "SAVED"
		}
		if slices.Contains(cfg.Archived, id) {
			summary.ContactFlowState = "ARCHIVED"
		}
		result.ContactFlowSummaryList = append(result.ContactFlowSummaryList, summary)
	}
	if to < len(all) {
		result.NextToken = pageToken(to)
	}
	return success(OutcomeServed, result)
}

func (x *exchange) checkFlowQuery(cfg *Config) (first, most int, err *apiError) {
	types := x.query["contactFlowTypes"]
	switch {
	case !isGUID(x.instanceID):
		return 0, 0, badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case !cfg.hasInstance(x.instanceID):
		return 0, 0, refuse(CodeNotFound, "The instance was not found.")
	case len(types) > 10 || slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(flowTypes, t) }):
		return 0, 0, badParameter("contactFlowTypes", "has an unknown type.")
	}
	most = usualFlows
	if text := x.query.Get("maxResults"); text != "" {
		n, bad := strconv.Atoi(text)
		if bad != nil || n < 1 || n > maxFlows {
			return 0, 0, badParameter("maxResults", "must be from 1 to 1000.")
		}
		most = n
	}
	page := searchRequest{}
	err = page.setNextToken(x.query.Get("nextToken"))
	return page.offset, most, err
}

// knownFlows are the flows that can be listed: those that are configured, in whatever state, and the default one when every flow exists.
func (c *Config) knownFlows() []string {
	published := c.Flows
	if len(published) == 0 {
		published = []string{DefaultFlow}
	}
	all := slices.Concat(published, c.Drafts, c.Archived)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *Config) flowARN(instanceID, flowID string) string {
	return c.instanceARN(instanceID) + "/contact-flow/" + flowID
}
