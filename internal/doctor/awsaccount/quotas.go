package awsaccount

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

const (
	// startsCode is the quota "rate of StartOutboundVoiceContact" (facts/amazon-connect.md section 3).
	startsCode = "L-4E9BCC96"
	// concurrentName is how the name of the quota of concurrent calls begins; its code is not documented on the quotas page.
	concurrentName = "Concurrent active calls per instance"
)

// Quotas reads what bounds calls (ListServiceQuotas of connect, of account and resources). A quota that is kept by instance counts when it
// is the one of this instance, or of none by name.
func (a *Account) Quotas(ctx context.Context, instance string) (doctor.Quotas, error) {
	var q doctor.Quotas
	in := &servicequotas.ListServiceQuotasInput{ServiceCode: aws.String("connect"), MaxResults: aws.Int32(100), QuotaAppliedAtLevel: types.AppliedLevelEnumAll}
	for {
		out, err := look(ctx, a, readQuotas, "*", in, a.quotas.ListServiceQuotas)
		if err != nil {
			return q, err
		}
		for _, listed := range out.Quotas {
			value := aws.ToFloat64(listed.Value)
			switch {
			case aws.ToString(listed.QuotaCode) == startsCode:
				q.StartsPerSecond = value
			case strings.HasPrefix(aws.ToString(listed.QuotaName), concurrentName) && concerns(listed, instance):
				q.ConcurrentCalls = value
			}
		}
		if aws.ToString(out.NextToken) == "" {
			return q, nil
		}
		in.NextToken = out.NextToken
	}
}

// concerns reports whether a quota is that of the instance, or one for all.
func concerns(q types.ServiceQuota, instance string) bool {
	if q.QuotaContext == nil {
		return true
	}
	id := aws.ToString(q.QuotaContext.ContextId)
	return id == "" || id == "*" || strings.HasSuffix(id, instance)
}
