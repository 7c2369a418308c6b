package connectemu

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// check applies the documented limits to a start, without looking at what exists.
func (r *startRequest) check(cfg *Config) *apiError {
	return firstError(r.checkMembers, r.checkLengths, func() *apiError { return checkAttributes(r.Attributes) }, r.checkReferences, func() *apiError { return r.checkTraffic(cfg) })
}

func firstError(checks ...func() *apiError) *apiError {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *startRequest) checkMembers() *apiError {
	switch {
	case r.DestinationPhoneNumber == "":
		return refuse(CodeInvalidRequest, "DestinationPhoneNumber is required.")
	case r.ContactFlowID == "":
		return refuse(CodeInvalidRequest, "ContactFlowId is required.")
	case r.InstanceID == "":
		return refuse(CodeInvalidRequest, "InstanceId is required.")
	case !isE164(r.DestinationPhoneNumber):
		return badParameter("DestinationPhoneNumber", "must be in E.164 format.")
	case r.SourcePhoneNumber != "" && !isE164(r.SourcePhoneNumber):
		return badParameter("SourcePhoneNumber", "must be in E.164 format.")
	case !isGUID(r.InstanceID):
		return badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case !isGUID(r.ContactFlowID):
		return badParameter("ContactFlowId", "must be the identifier in the last part of the flow ARN.")
	case r.QueueID != "" && !isGUID(r.QueueID):
		return badParameter("QueueId", "must be the identifier in the last part of the queue ARN.")
	case r.RingTimeoutInSeconds != nil && (*r.RingTimeoutInSeconds < 15 || *r.RingTimeoutInSeconds > 60):
		return badParameter("RingTimeoutInSeconds", "must be from 15 to 60.")
	}
	return nil
}

func (r *startRequest) checkLengths() *apiError {
	for _, m := range []struct {
		name, value string
		most        int
	}{
		{"ClientToken", r.ClientToken, 500},
		{"Name", r.Name, 1024},
		{"Description", r.Description, 4096},
		{"RelatedContactId", r.RelatedContactID, 256},
		{"CampaignId", r.CampaignID, 100},
	} {
		if tooLong(m.value, m.most) {
			return badParameter(m.name, fmt.Sprintf("must have at most %d characters.", m.most))
		}
	}
	return nil
}

// tooLong counts characters only when there may be too many of them.
func tooLong(s string, most int) bool {
	return len(s) > most && utf8.RuneCountInString(s) > most
}

// maxAttributeBytes and maxReferenceBytes bound all names and values of a contact together, in UTF-8.
const (
	maxAttributeBytes = 32_768
	maxReferenceBytes = 4_096
	maxAttribute      = 32_767
)

// checkAttributes judges all attributes of a contact.
func checkAttributes(attributes map[string]string) *apiError {
	total := 0
	for name, value := range attributes {
		switch {
		case name == "":
			return badParameter("Attributes", "has an empty name.")
		case !isAttributeName(name):
			return badParameter("Attributes", "has a name with characters other than letters, digits, - and _.")
		case tooLong(name, maxAttribute) || tooLong(value, maxAttribute):
			return badParameter("Attributes", fmt.Sprintf("has a name or value over %d characters.", maxAttribute))
		}
		total += len(name) + len(value)
	}
	if total > maxAttributeBytes {
		return badParameter("Attributes", fmt.Sprintf("must have at most %d bytes in all.", maxAttributeBytes))
	}
	return nil
}

// referenceTypes are the types a reference may have when a contact is created; ATTACHMENT is not one of them.
var referenceTypes = []string{"URL", "NUMBER", "STRING", "DATE", "EMAIL"}

func (r *startRequest) checkReferences() *apiError {
	total := 0
	for name, ref := range r.References {
		switch {
		case name == "" || tooLong(name, 4096) || tooLong(ref.Value, 4096):
			return badParameter("References", "has a name or value that is empty or over 4096 characters.")
		case ref.Type == "":
			return refuse(CodeInvalidRequest, "References: Type is required.")
		case !slices.Contains(referenceTypes, ref.Type):
			return badParameter("References", "has a Type other than URL, NUMBER, STRING, DATE and EMAIL.")
		case ref.Arn != "" && (len(ref.Arn) < 20 || tooLong(ref.Arn, 256)):
			return badParameter("References", "has an Arn that does not have 20 to 256 characters.")
		case tooLong(ref.StatusReason, 100):
			return badParameter("References", "has a StatusReason over 100 characters.")
		}
		total += len(name) + len(ref.Value)
	}
	if total > maxReferenceBytes {
		return badParameter("References", fmt.Sprintf("must have at most %d bytes in all.", maxReferenceBytes))
	}
	return nil
}

func (r *startRequest) checkTraffic(cfg *Config) *apiError {
	campaign := r.TrafficType == "CAMPAIGN"
	switch {
	case r.TrafficType != "" && r.TrafficType != "GENERAL" && !campaign:
		return badParameter("TrafficType", "must be GENERAL or CAMPAIGN.")
	case r.MachineDetection != nil && r.MachineDetection.EnableAnswerMachineDetection && !campaign:
		return refuse(CodeInvalidRequest, "EnableAnswerMachineDetection needs TrafficType CAMPAIGN.")
	case r.HasOutboundStrategy:
		return refuse(CodeAccessDenied, "OutboundStrategy is only for the outbound campaigns service.")
	case campaign && !cfg.AllowCampaign:
		return refuse(CodeNotPermitted, "TrafficType CAMPAIGN is not enabled for the account.")
	case r.SourcePhoneNumber == "" && r.QueueID == "" && !cfg.FlowsSetQueue:
		return refuse(CodeInvalidRequest, "SourcePhoneNumber is required when there is no queue.")
	}
	return nil
}
