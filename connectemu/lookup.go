package connectemu

import (
	"slices"
	"strings"
	"time"
)

// hasInstance reports whether the instance exists and is finished.
func (c *Config) hasInstance(id string) bool {
	return slices.Contains(c.Instances, id) && !slices.Contains(c.Creating, id)
}

// hasFlow and hasQueue report whether a flow or queue exists, in whatever state; an empty list holds every id.
func (c *Config) hasFlow(id string) bool { return inventory(id, c.Flows, c.Drafts, c.Archived) }

func (c *Config) hasQueue(id string) bool { return inventory(id, c.Queues, c.Anonymous) }

func inventory(id string, all []string, special ...[]string) bool {
	return len(all) == 0 || slices.Contains(all, id) || slices.ContainsFunc(special, func(ids []string) bool { return slices.Contains(ids, id) })
}

// made is when everything that the configuration names was made and last changed.
var made = epoch(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))

func (c *Config) instanceARN(id string) string {
	return "arn:aws:connect:" + c.Region + ":" + c.Account + ":instance/" + id
}

// describeInstance is DescribeInstance, whose only modeled errors are InvalidRequestException, ResourceNotFoundException and
// InternalServiceException.
func describeInstance(cfg *Config, x *exchange) reply {
	switch {
	case tooLong(x.instanceID, 100):
		return failure(refuse(CodeInvalidRequest, "InstanceId must have at most 100 characters."))
	case !slices.Contains(cfg.Instances, x.instanceID) && !slices.Contains(cfg.Creating, x.instanceID):
		return failure(refuse(CodeNotFound, "The instance was not found."))
	}
	status := "ACTIVE"
	if slices.Contains(cfg.Creating, x.instanceID) {
		status = "CREATION_IN_PROGRESS"
	}
	type instance struct {
		Arn                    string
		ID                     string `json:"Id"`
		InstanceAlias          string
		IdentityManagementType string
		InstanceStatus         string
		InboundCallsEnabled    bool
		OutboundCallsEnabled   bool
		CreatedTime            epoch
	}
	return success(OutcomeServed, struct{ Instance instance }{instance{
		Arn: cfg.instanceARN(x.instanceID), ID: x.instanceID, InstanceAlias: "emulated", IdentityManagementType: "CONNECT_MANAGED",
		InstanceStatus: status, InboundCallsEnabled: true, OutboundCallsEnabled: !slices.Contains(cfg.OutboundOff, x.instanceID), CreatedTime: made,
	}})
}

// describeFlow is DescribeContactFlow: a flow that was never published is answered ContactFlowNotPublishedException, unless its saved
// content is asked for with the alias $SAVED.
func describeFlow(cfg *Config, x *exchange) reply {
	var saved bool
	x.resourceID, saved = strings.CutSuffix(x.resourceID, ":$SAVED")
	switch err := x.checkResource(cfg, "ContactFlowId"); {
	case err != nil:
		return failure(err)
	case !cfg.hasFlow(x.resourceID):
		return failure(refuse(CodeNotFound, "The flow was not found."))
	case slices.Contains(cfg.Drafts, x.resourceID) && !saved:
		return failure(refuse(CodeFlowNotPublished, "The flow has not been published."))
	}
	state, status := "ACTIVE", "PUBLISHED"
	if saved {
		status = "SAVED"
	}
	if slices.Contains(cfg.Archived, x.resourceID) {
		state = "ARCHIVED"
	}
	type flow struct {
		Arn              string
		ID               string `json:"Id"`
		Name             string
		Type             string
		State            string
		Status           string
		Content          string
		LastModifiedTime epoch
	}
	return success(OutcomeServed, struct{ ContactFlow flow }{flow{
		Arn: cfg.flowARN(x.instanceID, x.resourceID), ID: x.resourceID, Name: "emulated", Type: "CONTACT_FLOW",
		State: state, Status: status, Content: `{"Version":"2019-10-30","StartAction":"","Actions":[]}`, LastModifiedTime: made,
	}})
}

// describeQueue is DescribeQueue.
func describeQueue(cfg *Config, x *exchange) reply {
	switch err := x.checkResource(cfg, "QueueId"); {
	case err != nil:
		return failure(err)
	case !cfg.hasQueue(x.resourceID):
		return failure(refuse(CodeNotFound, "The queue was not found."))
	}
	type caller struct {
		OutboundCallerIDName     string `json:"OutboundCallerIdName"`
		OutboundCallerIDNumberID string `json:"OutboundCallerIdNumberId"`
	}
	type queue struct {
		QueueArn             string
		QueueID              string `json:"QueueId"`
		Name                 string
		Status               string
		OutboundCallerConfig *caller `json:",omitzero"`
		LastModifiedTime     epoch
	}
	q := queue{
		QueueArn: cfg.instanceARN(x.instanceID) + "/queue/" + x.resourceID, QueueID: x.resourceID, Name: "emulated", Status: "ENABLED", LastModifiedTime: made,
	}
	if !slices.Contains(cfg.Anonymous, x.resourceID) {
		q.OutboundCallerConfig = &caller{"emulated", "00000000-0000-4000-8000-000000000001"}
	}
	return success(OutcomeServed, struct{ Queue queue }{q})
}

// checkResource judges the two ids of a path; member names the second.
func (x *exchange) checkResource(cfg *Config, member string) *apiError {
	switch {
	case !isGUID(x.instanceID):
		return badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case !isGUID(x.resourceID):
		return badParameter(member, "must be the identifier in the last part of the ARN.")
	case !cfg.hasInstance(x.instanceID):
		return refuse(CodeNotFound, "The instance was not found.")
	}
	return nil
}
