//go:build integration

package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/record"
	"github.com/ringonce/ringonce/internal/awstest"
)

// TestNoEmulatorStartsAutomations holds the reason for the stand-in. When it fails, use the emulator that has learned.
func TestNoEmulatorStartsAutomations(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"moto": awstest.StartMoto(t), "ministack": awstest.StartMinistack(t).URL} {
		if id, err := startOnce(t.Context(), ssm.NewFromConfig(local.Config(url)), key, document, record.Record{Dir: t.TempDir()}); err == nil {
			t.Errorf("%s started the automation %s", name, id)
		}
	}
}
