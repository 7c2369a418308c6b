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

// TestNoEmulatorHonorsTheToken holds the reason for the stand-in: a repeat under the token is refused, or answered with another service. When
// it fails, use the emulator that has learned.
func TestNoEmulatorHonorsTheToken(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"moto": awstest.StartMoto(t), "ministack": awstest.StartMinistack(t).URL} {
		client := ecs.NewFromConfig(local.Config(url))
		if _, err := client.CreateCluster(t.Context(), &ecs.CreateClusterInput{ClusterName: aws.String("jobs")}); err != nil {
			t.Fatal(err)
		}
		_, err := client.RegisterTaskDefinition(t.Context(), &ecs.RegisterTaskDefinitionInput{
			Family:               aws.String("worker"),
			ContainerDefinitions: []types.ContainerDefinition{{Name: aws.String("worker"), Image: aws.String("worker"), Memory: aws.Int32(64)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := create(t.Context(), client, key, "jobs", "worker", "worker:1"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		first, err := client.DescribeServices(t.Context(), &ecs.DescribeServicesInput{Cluster: aws.String("jobs"), Services: []string{"worker"}})
		if err != nil {
			t.Fatal(err)
		}
		_, refused := create(t.Context(), client, key, "jobs", "worker", "worker:1")
		second, err := client.DescribeServices(t.Context(), &ecs.DescribeServicesInput{Cluster: aws.String("jobs"), Services: []string{"worker"}})
		if err != nil {
			t.Fatal(err)
		}
		if refused == nil && *first.Services[0].Deployments[0].Id == *second.Services[0].Deployments[0].Id {
			t.Errorf("%s answers a repeat with the first service; it did not when the stand-in was written", name)
		}
	}
}
