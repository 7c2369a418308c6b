package checkup

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
)

// telephone looks at the instance, flow, queue and number of each profile, and once at the quotas of each Region. It returns the ARNs of
// the instances that were seen.
func (s Subject) telephone(ctx context.Context) (arns []string, findings []doctor.Finding) {
	judged := map[call.Target]bool{} // instances, which several profiles may share
	regions := map[string]bool{}
	for _, p := range s.Profiles {
		t := s.Telephone(p.Region)
		if target := (call.Target{Region: p.Region, InstanceID: p.InstanceID}); !judged[target] {
			judged[target] = true
			i, err := t.Instance(ctx, p.InstanceID)
			findings = append(findings, doctor.JudgeInstance(p.Name, i, err)...)
			if err == nil {
				arns = append(arns, i.ARN)
			}
		}
		findings = append(findings, s.profile(ctx, t, p)...)
		if s.HasQuotas && !regions[p.Region] {
			regions[p.Region] = true
			q, err := t.Quotas(ctx, p.InstanceID)
			findings = append(findings, doctor.JudgeQuotas(p.Region, s.PerSecond, q, err)...)
		}
	}
	return arns, findings
}

func (s Subject) profile(ctx context.Context, t Telephone, p call.Profile) []doctor.Finding {
	var findings []doctor.Finding
	if p.ContactFlowID != "" { // a task may take its flow from a template or a quick connect
		f, err := t.Flow(ctx, p.InstanceID, p.ContactFlowID)
		findings = append(findings, doctor.JudgeFlow(p.Name, f, err))
	}
	if p.QueueID != "" {
		q, err := t.CallQueue(ctx, p.InstanceID, p.QueueID)
		findings = append(findings, doctor.JudgeQueue(p.Name, q, p.SourcePhone != "", err)...)
	}
	if p.SourcePhone != "" {
		number, err := call.ParsePhone(p.SourcePhone)
		if err != nil { // the configuration has refused it already
			return findings
		}
		claimed, err := t.Claimed(ctx, p.InstanceID, p.SourcePhone)
		findings = append(findings, doctor.JudgeSource(p.Name, number.String(), claimed, err))
	}
	if p.Kind.NeedsNumber() && p.QueueID == "" && p.SourcePhone == "" {
		findings = append(findings, doctor.NoCaller(p.Name))
	}
	return findings
}
