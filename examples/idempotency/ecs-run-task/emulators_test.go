//go:build integration

package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

// prepared returns a client of an emulator that has the cluster and the task definition, and the job in its network.
func prepared(t *testing.T, url string) (*ecs.Client, job) {
	t.Helper()
	client, network, inside := ecs.NewFromConfig(local.Config(url)), ec2.NewFromConfig(local.Config(url)), of
	subnets, err := network.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{})
	if err != nil {
		t.Fatal(err)
	}
	groups, err := network.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{})
	if err != nil {
		t.Fatal(err)
	}
	inside.subnet, inside.group = *subnets.Subnets[0].SubnetId, *groups.SecurityGroups[0].GroupId
	if _, err := client.CreateCluster(t.Context(), &ecs.CreateClusterInput{ClusterName: &of.cluster}); err != nil {
		t.Fatal(err)
	}
	_, err = client.RegisterTaskDefinition(t.Context(), &ecs.RegisterTaskDefinitionInput{
		Family: aws.String("report"), NetworkMode: types.NetworkModeAwsvpc, Cpu: aws.String("256"), Memory: aws.String("512"),
		RequiresCompatibilities: []types.Compatibility{types.CompatibilityFargate},
		ContainerDefinitions:    []types.ContainerDefinition{{Name: aws.String("report"), Image: aws.String("report"), Memory: aws.Int32(64)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, inside
}

// TestNoEmulatorHonorsTheToken holds the reason for the stand-in. When it fails, use the emulator that has learned.
func TestNoEmulatorHonorsTheToken(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"moto": awstest.StartMoto(t), "ministack": awstest.StartMinistack(t).URL} {
		client, inside := prepared(t, url)
		for range 2 {
			if _, err := runTask(t.Context(), client, token(t), inside); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		out, err := client.ListTasks(t.Context(), &ecs.ListTasksInput{Cluster: &of.cluster})
		if err != nil || len(out.TaskArns) != 2 {
			t.Errorf("%s ran %d under one token, %v; it did 2 when the stand-in was written", name, len(out.TaskArns), err)
		}
	}
}
