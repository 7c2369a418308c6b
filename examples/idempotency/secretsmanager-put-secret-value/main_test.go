//go:build integration

package main

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

// create makes a secret for the test, with one version.
func create(t *testing.T, client *secretsmanager.Client) string {
	t.Helper()
	name := t.Name()
	if _, err := client.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: &name, SecretString: aws.String("0000")}); err != nil {
		t.Fatal(err)
	}
	return name
}

// added returns how many versions were put since create.
func added(t *testing.T, client *secretsmanager.Client, secret string) int {
	t.Helper()
	out, err := client.ListSecretVersionIds(t.Context(), &secretsmanager.ListSecretVersionIdsInput{SecretId: &secret, IncludeDeprecated: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Versions) - 1
}

// current returns the value that programs read.
func current(t *testing.T, client *secretsmanager.Client, secret string) string {
	t.Helper()
	out, err := client.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: &secret})
	if err != nil {
		t.Fatal(err)
	}
	return *out.SecretString
}

// TestVersions runs on moto, which honors the token.
func TestVersions(t *testing.T) {
	t.Parallel()
	client := secretsmanager.NewFromConfig(local.Config(awstest.StartMoto(t)))
	for name, test := range map[string]func(*testing.T, *secretsmanager.Client){
		"a repeat puts no version":                       aRepeatPutsNoVersion,
		"a late repeat does not bring an old value back": aLateRepeat,
		"the random token of the SDK puts two":           theRandomToken,
		"another value under the token is refused":       anotherValue,
	} {
		t.Run(name, func(t *testing.T) { test(t, client) })
	}
}

func aRepeatPutsNoVersion(t *testing.T, client *secretsmanager.Client) {
	secret := create(t, client)
	first, err := put(t.Context(), client, key, secret, "4711")
	if err != nil {
		t.Fatal(err)
	}
	again, err := put(t.Context(), client, key, secret, "4711")
	if err != nil || again != first || added(t, client, secret) != 1 {
		t.Errorf("%d versions, %q and %q, %v", added(t, client, secret), first, again, err)
	}
}

func aLateRepeat(t *testing.T, client *secretsmanager.Client) {
	secret, later := create(t, client), key
	later.NotificationID = "notification-12346"
	for _, next := range []struct {
		key   clienttoken.Input
		value string
	}{{key, "4711"}, {later, "0815"}, {key, "4711"}} {
		if _, err := put(t.Context(), client, next.key, secret, next.value); err != nil {
			t.Fatal(err)
		}
	}
	if got := current(t, client, secret); got != "0815" || added(t, client, secret) != 2 {
		t.Errorf("%d versions, current is %s", added(t, client, secret), got)
	}
}

func theRandomToken(t *testing.T, client *secretsmanager.Client) {
	secret := create(t, client)
	for range 2 {
		if _, err := client.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: &secret, SecretString: aws.String("4711")}); err != nil {
			t.Fatal(err)
		}
	}
	if got := added(t, client, secret); got != 2 {
		t.Errorf("%d versions, want 2", got)
	}
}

func anotherValue(t *testing.T, client *secretsmanager.Client) {
	secret := create(t, client)
	if _, err := put(t.Context(), client, key, secret, "4711"); err != nil {
		t.Fatal(err)
	}
	_, err := put(t.Context(), client, key, secret, "0815")
	if _, ok := errors.AsType[*types.ResourceExistsException](err); !ok || current(t, client, secret) != "4711" || added(t, client, secret) != 1 {
		t.Errorf("%d versions, current is %s, %v", added(t, client, secret), current(t, client, secret), err)
	}
}

// TestMinistackTakesAnotherValue holds the reason why these tests run on moto alone: ministack overwrites the version.
func TestMinistackTakesAnotherValue(t *testing.T) {
	t.Parallel()
	client := secretsmanager.NewFromConfig(local.Config(awstest.StartMinistack(t).URL))
	secret := create(t, client)
	for _, value := range []string{"4711", "0815"} {
		if _, err := put(t.Context(), client, key, secret, value); err != nil {
			t.Fatal(err)
		}
	}
	if got := current(t, client, secret); got != "0815" {
		t.Errorf("current is %s: ministack modified a version when this was written", got)
	}
}
