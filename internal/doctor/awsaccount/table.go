package awsaccount

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

func (a *Account) tableARN(name string) string {
	return "arn:aws:dynamodb:" + a.region + ":*:table/" + name
}

// Table reads a table (DescribeTable), without backups and time to live.
func (a *Account) Table(ctx context.Context, name string) (doctor.Table, error) {
	out, err := look(ctx, a, readTable, a.tableARN(name), &dynamodb.DescribeTableInput{TableName: &name}, a.dynamodb.DescribeTable)
	switch {
	case err != nil:
		return doctor.Table{}, err
	case out.Table == nil:
		return doctor.Table{}, missing(readTable, a.tableARN(name), "Table")
	}
	d := out.Table
	t := doctor.Table{
		Name: name, Protected: aws.ToBool(d.DeletionProtectionEnabled),
		KMS:             d.SSEDescription != nil && d.SSEDescription.SSEType == types.SSETypeKms && d.SSEDescription.Status != types.SSEStatusDisabled,
		EventualReplica: len(d.Replicas) > 0 && d.MultiRegionConsistency != types.MultiRegionConsistencyStrong,
	}
	for _, k := range d.KeySchema {
		if k.KeyType == types.KeyTypeHash {
			t.HashKey = aws.ToString(k.AttributeName)
		} else {
			t.RangeKey = aws.ToString(k.AttributeName)
		}
	}
	for _, g := range d.GlobalSecondaryIndexes {
		t.Indexes = append(t.Indexes, aws.ToString(g.IndexName))
	}
	return t, nil
}

// Backups reports whether point-in-time recovery is on (DescribeContinuousBackups).
func (a *Account) Backups(ctx context.Context, name string) (bool, error) {
	out, err := look(ctx, a, readBackups, a.tableARN(name), &dynamodb.DescribeContinuousBackupsInput{TableName: &name}, a.dynamodb.DescribeContinuousBackups)
	if err != nil {
		return false, err
	}
	d := out.ContinuousBackupsDescription
	return d != nil && d.PointInTimeRecoveryDescription != nil &&
		d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled, nil
}

// TimeToLive returns the attribute by which the table deletes items; empty when that is off (DescribeTimeToLive).
func (a *Account) TimeToLive(ctx context.Context, name string) (string, error) {
	out, err := look(ctx, a, readTimeToLive, a.tableARN(name), &dynamodb.DescribeTimeToLiveInput{TableName: &name}, a.dynamodb.DescribeTimeToLive)
	if err != nil {
		return "", err
	}
	d := out.TimeToLiveDescription
	if d == nil || d.TimeToLiveStatus == types.TimeToLiveStatusDisabled || d.TimeToLiveStatus == types.TimeToLiveStatusDisabling {
		return "", nil
	}
	return aws.ToString(d.AttributeName), nil
}
