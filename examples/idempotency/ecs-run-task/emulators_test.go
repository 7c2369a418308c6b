//go:build integration

package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

// prepared returns a client of an emulator that has the cluster and the task definition.
func prepared(t *testing.T, url string) *ecs.Client {
	t.Helper()
	client := ecs.NewFromConfig(local.Config(url), func(o *ecs.Options) { o.Retryer = aws.NopRetryer{} })
	if _, err := client.CreateCluster(t.Context(), &ecs.CreateClusterInput{ClusterName: &of.cluster}); err != nil {
		t.Fatal(err)
	}
	_, err := client.RegisterTaskDefinition(t.Context(), &ecs.RegisterTaskDefinitionInput{
		Family: aws.String("report"), NetworkMode: types.NetworkModeAwsvpc, Cpu: aws.String("256"), Memory: aws.String("512"),
		RequiresCompatibilities: []types.Compatibility{types.CompatibilityFargate},
		ContainerDefinitions:    []types.ContainerDefinition{{Name: aws.String("report"), Image: aws.String("report"), Memory: aws.Int32(64)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestNoEmulatorHonorsTheToken holds the reason for the stand-in. When it fails, use the emulator that has learned.
func TestNoEmulatorHonorsTheToken(t *testing.T) {
	t.Parallel()
	ministack := prepared(t, awstest.StartMinistack(t).URL)
	for range 2 {
		if _, err := runTask(t.Context(), ministack, token(t), of); err != nil {
			t.Fatal(err)
		}
	}
	out, err := ministack.ListTasks(t.Context(), &ecs.ListTasksInput{Cluster: &of.cluster})
	if err != nil || len(out.TaskArns) != 2 {
		t.Errorf("ministack ran %d under one token, %v; it did 2 when the stand-in was written", len(out.TaskArns), err)
	}
	moto := prepared(t, awstest.StartMoto(t))
	if _, err := runTask(t.Context(), moto, token(t), of); err == nil {
		t.Error("moto runs a Fargate task; it failed when the stand-in was written")
	}
}
