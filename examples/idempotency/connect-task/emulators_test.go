//go:build integration

package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

// TestNoEmulatorStartsTasks holds a reason for the stand-in. When it fails, use the emulator that has learned.
func TestNoEmulatorStartsTasks(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"moto": awstest.StartMoto(t), "ministack": awstest.StartMinistack(t).URL} {
		if id, err := start(t.Context(), connect.NewFromConfig(local.Config(url)), "token-1", to); err == nil {
			t.Errorf("%s started the task %s", name, id)
		}
	}
}
