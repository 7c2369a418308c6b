package awsaccount

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Caller returns the ARN that the credentials belong to (GetCallerIdentity).
func (a *Account) Caller(ctx context.Context) (string, error) {
	out, err := look(ctx, a, readCaller, "the credentials", &sts.GetCallerIdentityInput{}, a.sts.GetCallerIdentity)
	if err != nil {
		return "", err
	}
	return aws.ToString(out.Arn), nil
}
