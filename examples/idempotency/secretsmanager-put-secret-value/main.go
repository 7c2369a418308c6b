// Command secretsmanager-put-secret-value puts one version of a secret for one key, however often it is run:
//
//	printf 4711 | go run ./secretsmanager-put-secret-value -secret pin -notification notification-12345 -recipient user-67890
//
// The token becomes the id of the version, so it is remembered for as long as the version exists and needs no record. Another value under the
// same key is refused: a version cannot be modified. Use a new key, or the next ring of this one, to put another.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ringonce/ringonce/clienttoken"
)

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "whom it is about")
	secret := flag.String("secret", "", "name of the secret")
	flag.Parse()
	value, err := io.ReadAll(os.Stdin) // an argument would be seen by everybody on the machine
	if err == nil {
		err = run(context.Background(), key, *secret, string(value))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, secret, value string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := secretsmanager.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		version, err := put(ctx, client, key, secret, value)
		if err != nil {
			return err
		}
		fmt.Println("version", version)
	}
	return nil
}

// put puts the version of a key and returns its id, which is the token.
func put(ctx context.Context, client *secretsmanager.Client, key clienttoken.Input, secret, value string) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	token, err := maker.For("secretsmanager", "PutSecretValue", key)
	if err != nil {
		return "", err
	}
	out, err := client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{SecretId: &secret, SecretString: &value},
		func(o *secretsmanager.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) }) // for this one request
	if err != nil {
		return "", err
	}
	return *out.VersionId, nil
}
