package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// handlers is Powertools as a subject: one process of Node.js, in which lanes invoke the same handler. Its answers do not say whether they are new.
type handlers struct {
	cmd             *exec.Cmd
	order           *json.Encoder
	answers         *json.Decoder
	input           io.Closer
	endpoint, table string
	runs            int
}

// question is what the process reads, and answer what it prints, one JSON object a line.
type question struct {
	First  int `json:"first"`
	Number int `json:"number"`
	Lanes  int `json:"lanes"`
}

type answer struct {
	Took     float64   `json:"took"`  // ms
	Times    []float64 `json:"times"` // ms
	CPU      float64   `json:"cpu"`   // ms
	Requests int64     `json:"requests"`
	Runs     int       `json:"runs"` // of the handler, since the process began
}

func openPowertools(ctx context.Context, where *place) (subject, error) {
	dir, err := install(ctx)
	if err != nil {
		return nil, err
	}
	h := &handlers{endpoint: where.table(), table: tableName()}
	_, err = tableClient(h.endpoint).CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: &h.table, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err == nil {
		err = dynamodb.NewTableExistsWaiter(tableClient(h.endpoint)).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &h.table}, time.Minute)
	}
	if err != nil {
		return nil, fmt.Errorf("make the table: %w", err)
	}
	h.cmd = exec.CommandContext(ctx, "node", "main.mjs", h.endpoint, h.table) //nolint:gosec // the peer that is measured
	h.cmd.Dir = filepath.Join(dir, "powertools")
	h.cmd.Env = append(os.Environ(), "NODE_NO_WARNINGS=1", "AWS_REGION="+region, "AWS_LAMBDA_FUNCTION_NAME=place-calls")
	h.cmd.Stderr = os.Stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.order, h.answers, h.input = json.NewEncoder(in), json.NewDecoder(out), in
	return h, h.cmd.Start()
}

func (h *handlers) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	stop := context.AfterFunc(ctx, func() { _ = h.cmd.Process.Kill() })
	defer stop()
	if err := h.order.Encode(question{first, number, lanes}); err != nil {
		return phase{}, err
	}
	var a answer
	if err := h.answers.Decode(&a); err != nil {
		return phase{}, fmt.Errorf("read what Powertools did: %w", err)
	}
	h.runs = a.Runs
	p := phase{took: ms(a.Took), cpu: ms(a.CPU), requests: a.Requests}
	for _, one := range a.Times {
		p.times = append(p.times, ms(one))
	}
	return p, nil
}

func ms(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }

func (h *handlers) kept(ctx context.Context) (tally, error) {
	rows, err := countTable(ctx, h.endpoint, h.table, "#n = :v", "status", "COMPLETED")
	return tally{rows: rows, runs: h.runs}, err
}

func (h *handlers) close() error { return errors.Join(h.input.Close(), h.cmd.Wait()) }
