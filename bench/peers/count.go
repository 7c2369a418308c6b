package main

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/jackc/pgx/v5"
)

// countFile asks a SQLite file over a connection of its own, which only sees what was committed.
func countFile(ctx context.Context, path, question string) (rows int, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	err = db.QueryRowContext(ctx, question).Scan(&rows)
	return rows, err
}

// countSchema asks PostgreSQL over a connection of its own.
func countSchema(ctx context.Context, dsn, question string) (rows int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, question).Scan(&rows)
	return rows, err
}

// region is that of every table. An emulator does not care.
const region = "eu-west-1"

var tables atomic.Int64

// tableName returns a name that no table of this run has.
func tableName() string { return fmt.Sprintf("keys-%d", tables.Add(1)) }

// anybody signs requests to an emulator.
func anybody(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}

func tableClient(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: region, BaseEndpoint: &endpoint, Credentials: aws.CredentialsProviderFunc(anybody)})
}

// countTable reads a whole table and counts the items that meet a condition on an attribute #n and the value :v.
func countTable(ctx context.Context, endpoint, table, condition, name, value string) (rows int, err error) {
	client := tableClient(endpoint)
	in := &dynamodb.ScanInput{
		TableName: &table, FilterExpression: &condition, ConsistentRead: aws.Bool(true), Select: types.SelectCount,
		ExpressionAttributeNames:  map[string]string{"#n": name},
		ExpressionAttributeValues: map[string]types.AttributeValue{":v": &types.AttributeValueMemberS{Value: value}},
	}
	for {
		page, err := client.Scan(ctx, in)
		if err != nil {
			return 0, err
		}
		rows += int(page.Count)
		if in.ExclusiveStartKey = page.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return rows, nil
		}
	}
}
