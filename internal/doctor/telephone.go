package doctor

import (
	"errors"
	"fmt"
	"time"
)

// Instance is an Amazon Connect instance as DescribeInstance shows it.
type Instance struct {
	ID, ARN, Alias string
	Status         string // ACTIVE is the one that rings
	Outbound       bool   // outbound calls are enabled
}

// Flow is a flow as DescribeContactFlow shows it.
type Flow struct {
	ID, Name string
	State    string // ACTIVE or ARCHIVED
	Status   string // PUBLISHED or SAVED
}

// CallQueue is a queue of an instance as DescribeQueue shows it.
type CallQueue struct {
	ID, Name string
	Status   string // ENABLED or DISABLED
	CallerID bool   // it has an outbound caller id number
}

// Quotas are those of Service Quotas that bound calls; zero means that the account's list does not show the quota.
type Quotas struct {
	StartsPerSecond float64 // rate of StartOutboundVoiceContact (L-4E9BCC96), per account and Region
	ConcurrentCalls float64 // concurrent active calls per instance
}

// JudgeInstance judges the instance of a profile, or the error of looking at it.
func JudgeInstance(profile string, i Instance, err error) []Finding {
	if err != nil {
		return []Finding{missing("instance", err, fmt.Sprintf("The instance of profile %s does not exist in this account and Region.", profile),
			"Copy the instance id from the Amazon Connect console into profiles."+profile+".instance_id, and its Region into region.")}
	}
	return []Finding{
		judge(i.Status == "ACTIVE", Fault, Finding{
			Check: "instance", Subject: i.ARN, What: fmt.Sprintf("The instance of profile %s (%s) is %s.", profile, i.Alias, i.Status),
			Why: "Only an active instance takes calls.", Fix: "Wait until it is made; if its creation failed, make another.",
		}),
		judge(i.Outbound, Fault, Finding{
			Check: "outbound-calls", Subject: i.ARN, What: fmt.Sprintf("Outbound calls are enabled: %t.", i.Outbound),
			Why: "Amazon Connect answers every call OutboundContactNotPermittedException.", Fix: "Enable outbound calls in the instance's telephony options.",
		}),
	}
}

// JudgeFlow judges the flow of a profile, or the error of looking at it.
func JudgeFlow(profile string, f Flow, err error) Finding {
	draft := Finding{
		Check: "flow", Subject: f.ID, Level: Fault, What: fmt.Sprintf("The flow of profile %s has never been published.", profile),
		Why: "A call with it is refused, or begins with nothing to say.", Fix: "Publish the flow in the flow designer.",
	}
	if u, ok := errors.AsType[*Unseen](err); ok && u.Draft {
		draft.Subject = u.Resource
		return draft
	}
	if err != nil {
		return missing("flow", err, fmt.Sprintf("The flow of profile %s does not exist in its instance.", profile),
			"Copy the last part of the flow's ARN into profiles."+profile+".contact_flow_id.")
	}
	if f.Status != "PUBLISHED" {
		return draft
	}
	return judge(f.State == "ACTIVE", Fault, Finding{
		Check: "flow", Subject: f.ID, What: fmt.Sprintf("The flow of profile %s (%s) is %s and %s.", profile, f.Name, f.Status, f.State),
		Why: "An archived flow takes no calls.", Fix: "Restore the flow, or name another.",
	})
}

// JudgeQueue judges the queue of a profile, or the error of looking at it. source says that the profile has a source phone, which the
// called see instead of the queue's number.
func JudgeQueue(profile string, q CallQueue, source bool, err error) []Finding {
	if err != nil {
		return []Finding{missing("call-queue", err, fmt.Sprintf("The queue of profile %s does not exist in its instance.", profile),
			"Copy the last part of the queue's ARN into profiles."+profile+".queue_id.")}
	}
	findings := []Finding{judge(q.Status == "ENABLED", Fault, Finding{
		Check: "call-queue", Subject: q.ID, What: fmt.Sprintf("The queue of profile %s (%s) is %s.", profile, q.Name, q.Status),
		Why: "A queue that is disabled takes no contacts.", Fix: "Enable the queue.",
	})}
	if source {
		return findings
	}
	return append(findings, judge(q.CallerID, Fault, Finding{
		Check: "caller-id", Subject: q.ID, What: fmt.Sprintf("The queue of profile %s has an outbound caller id number: %t.", profile, q.CallerID),
		Why: "Without a number to call from, Amazon Connect refuses the call.", Fix: "Set the queue's outbound caller id number, or source_phone in the profile.",
	}))
}

// NoCaller judges a profile that names neither queue nor source phone: its flow must then set a queue, which cannot be seen here.
func NoCaller(profile string) Finding {
	return Finding{
		Check: "caller-id", Level: Notice, Subject: profile, What: fmt.Sprintf("Profile %s names neither queue_id nor source_phone.", profile),
		Why: "The call is refused unless its flow sets a queue that has a caller id.", Fix: "Set queue_id or source_phone, or know that the flow sets a queue.",
	}
}

// JudgeSource judges the source phone of a profile; number is masked.
func JudgeSource(profile, number string, claimed bool, err error) Finding {
	if err != nil {
		return CouldNot("source-phone", err)
	}
	return judge(claimed, Fault, Finding{
		Check: "source-phone", Subject: number, What: fmt.Sprintf("The source_phone of profile %s is claimed by its instance: %t.", profile, claimed),
		Why: "Amazon Connect calls only from numbers that the instance has claimed.", Fix: "Claim the number for the instance, or correct source_phone.",
	})
}

// typicalCall is how long a call with a short message lasts, ringing included; a figure for comparison, no limit.
const typicalCall = 30 * time.Second

// JudgeQuotas compares the pace of the configuration with the quotas of a Region.
func JudgeQuotas(region string, perSecond float64, q Quotas, err error) []Finding {
	if err != nil {
		return []Finding{CouldNot("pacing", err)}
	}
	var findings []Finding
	if q.StartsPerSecond > 0 {
		findings = append(findings, judge(perSecond <= q.StartsPerSecond, Warning, Finding{
			Check: "pacing", Subject: region,
			What: fmt.Sprintf("pacing.per_second is %g; the quota of StartOutboundVoiceContact is %g a second, for the whole account.", perSecond, q.StartsPerSecond),
			Why:  "Amazon Connect throttles what is faster: calls come later, and other systems of the account are throttled with them.",
			Fix:  fmt.Sprintf("Set pacing.per_second to %g or less, or have the quota L-4E9BCC96 raised.", q.StartsPerSecond),
		}))
	} else {
		findings = append(findings, unlisted("pacing", region, "the rate of StartOutboundVoiceContact", "2 a second"))
	}
	if q.ConcurrentCalls <= 0 {
		return append(findings, unlisted("concurrent-calls", region, "concurrent active calls per instance", "10"))
	}
	fills := time.Duration(q.ConcurrentCalls / max(perSecond, 0.001) * float64(time.Second)).Round(time.Second)
	return append(findings, judge(fills >= typicalCall, Notice, Finding{
		Check: "concurrent-calls", Subject: region,
		What: fmt.Sprintf("%g calls may be alive at once; at %g a second that is full when calls last longer than %s.", q.ConcurrentCalls, perSecond, fills),
		Why:  "Over the quota the called hear a fast busy tone, or the call is answered LimitExceededException and comes later.",
		Fix:  "Lower pacing.per_second, or have the quota of concurrent active calls raised.",
	}))
}

func unlisted(check, region, quota, usual string) Finding {
	return Finding{
		Check: check, Level: Notice, Subject: region, What: "Service Quotas does not list the quota of " + quota + ".",
		Why: "A new account has " + usual + "; whether this one has more is not known.", Fix: "Look in the Service Quotas console, under Amazon Connect.",
	}
}

// missing is a fault when something that the configuration names does not exist, and unknown when it could not be looked at.
func missing(check string, err error, what, fix string) Finding {
	if !IsAbsent(err) {
		return CouldNot(check, err)
	}
	u, _ := errors.AsType[*Unseen](err)
	return Finding{Check: check, Level: Fault, Subject: u.Resource, What: what, Why: "Every call of the profile is answered ResourceNotFoundException: nothing rings.", Fix: fix}
}
