// Command ringonce-lambda is the Lambda bootstrap: it answers invocations, with no ledger or one on AWS. RINGONCE_CONFIG names
// its configuration or holds it.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/app/awswake"
)

func main() {
	config, err := app.LoadValue(os.Getenv(app.ConfigVariable))
	if err != nil {
		fail(app.NewLogger(os.Stderr, app.Log{}), err)
	}
	log := app.NewLogger(os.Stderr, config.Log)
	a, err := app.New(context.Background(), config, app.Options{
		Random: rand.Reader, Log: log, Metrics: os.Stdout, Stores: awsstores.All(), Waker: awswake.Open,
	})
	if err != nil {
		fail(log, err)
	}
	lambda.Start(a)
}

// fail ends a start that cannot succeed with one line for the log of the function.
func fail(log *slog.Logger, err error) {
	log.Error("start refused", slog.String("error", err.Error()))
	os.Exit(1)
}
