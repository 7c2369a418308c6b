package awsaccount_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/awsaccount"
)

const (
	flow     = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	draft    = "dddddddd-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	archived = "acacacac-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	queue    = "99999999-8888-4777-8666-555555555555"
	silent   = "55555555-8888-4777-8666-555555555555"
	creating = "22222222-2222-4333-8444-555555555555"
	incoming = "33333333-2222-4333-8444-555555555555"
	nowhere  = "eeeeeeee-2222-4333-8444-555555555555"
	number   = "+12025550100"
)

type credentials struct{ secret string }

// Retrieve implements aws.CredentialsProvider.
func (c credentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: c.secret}, nil
}

// look returns an account whose Amazon Connect is the emulator, on the emulator's clock.
func look(t *testing.T, secret string) *awsaccount.Account {
	t.Helper()
	clock := connectemu.NewManualClock(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC))
	emulator, err := connectemu.New(connectemu.Config{
		Clock: clock, LookupRate: connectemu.Unlimited, Instances: []string{connectemu.DefaultInstance, incoming}, Creating: []string{creating},
		OutboundOff: []string{incoming}, Flows: []string{flow}, Drafts: []string{draft}, Archived: []string{archived},
		Queues: []string{queue}, Anonymous: []string{silent}, SourceNumbers: []string{number},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(emulator)
	t.Cleanup(server.Close)
	t.Cleanup(emulator.Close)
	return awsaccount.New(awsaccount.Options{Region: "us-east-1", Credentials: credentials{secret}, Clock: clock, ConnectEndpoint: server.URL})
}

// levels returns the levels of findings by check.
func levels(findings ...doctor.Finding) map[string]doctor.Level {
	by := map[string]doctor.Level{}
	for _, f := range findings {
		by[f.Check] = f.Level
	}
	return by
}

func TestTheEmulatorIsLookedAtLikeAnInstance(t *testing.T) {
	t.Parallel()
	a := look(t, "test")
	ctx := t.Context()
	for id, want := range map[string]map[string]doctor.Level{
		connectemu.DefaultInstance: {"instance": doctor.OK, "outbound-calls": doctor.OK},
		incoming:                   {"instance": doctor.OK, "outbound-calls": doctor.Fault},
		creating:                   {"instance": doctor.Fault, "outbound-calls": doctor.OK},
		nowhere:                    {"instance": doctor.Fault},
	} {
		i, err := a.Instance(ctx, id)
		if got := levels(doctor.JudgeInstance("alert", i, err)...); len(got) != len(want) || got["instance"] != want["instance"] || got["outbound-calls"] != want["outbound-calls"] {
			t.Errorf("instance %s: %v, want %v", id, got, want)
		}
	}
	for id, want := range map[string]doctor.Level{flow: doctor.OK, draft: doctor.Fault, archived: doctor.Fault, nowhere: doctor.Fault, "no-guid": doctor.Unknown} {
		f, err := a.Flow(ctx, connectemu.DefaultInstance, id)
		if got := doctor.JudgeFlow("alert", f, err); got.Level != want {
			t.Errorf("flow %s: %+v, want %s", id, got, want)
		}
	}
	for id, want := range map[string]doctor.Level{queue: doctor.OK, silent: doctor.Fault, nowhere: doctor.Fault} {
		q, err := a.CallQueue(ctx, connectemu.DefaultInstance, id)
		if got := doctor.Worst(doctor.JudgeQueue("alert", q, false, err)); got != want {
			t.Errorf("queue %s: %s, want %s", id, got, want)
		}
	}
	for claimed, want := range map[string]bool{number: true, "+12025550101": false} {
		if got, err := a.Claimed(ctx, connectemu.DefaultInstance, claimed); err != nil || got != want {
			t.Errorf("claimed %s: %t, %v", claimed, got, err)
		}
	}
}

func TestCredentialsThatAreRefusedAreNoFaultOfTheInstance(t *testing.T) {
	t.Parallel()
	_, err := look(t, "wrong").Instance(t.Context(), connectemu.DefaultInstance)
	u, ok := errors.AsType[*doctor.Unseen](err)
	if !ok || u.Absent || u.Action != "connect:DescribeInstance" {
		t.Errorf("the error is %v", err)
	}
	if got := doctor.JudgeInstance("alert", doctor.Instance{}, err); doctor.Worst(got) != doctor.Unknown {
		t.Errorf("judged %+v", got)
	}
}
