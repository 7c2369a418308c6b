//go:build integration

package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

// TestNoEmulatorHonorsTheToken holds the reason for the stand-in. When it fails, use the emulator that has learned.
func TestNoEmulatorHonorsTheToken(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"moto": awstest.StartMoto(t), "ministack": awstest.StartMinistack(t).URL} {
		client := ec2.NewFromConfig(local.Config(url))
		for range 2 {
			if _, err := client.RunInstances(t.Context(), request(image), provider(t, key)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		out, err := client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		launched := 0
		for _, r := range out.Reservations {
			launched += len(r.Instances)
		}
		if launched != 2 {
			t.Errorf("%s launched %d under one token; it did 2 when the stand-in was written", name, launched)
		}
	}
}
