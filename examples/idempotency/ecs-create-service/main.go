// Command ecs-create-service creates one service for one key, however often it is run:
//
//	go run ./ecs-create-service -cluster jobs -service worker -task worker:1 -notification notification-12345 -recipient user-67890
//
// The SDK fills the token of RunTask and not that of CreateService, which takes 36 characters: Rule.Fill sets it. What other parameters under
// the token get is not documented, and neither is how long it is remembered: the name of the service is what remains.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ecs"

	"github.com/ringonce/ringonce/clienttoken"
)

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	cluster := flag.String("cluster", "default", "name of the cluster")
	service := flag.String("service", "", "name of the service")
	task := flag.String("task", "", "task definition")
	flag.Parse()
	if err := run(context.Background(), key, *cluster, *service, *task); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, cluster, service, task string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := ecs.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		arn, err := create(ctx, client, key, cluster, service, task)
		if err != nil {
			return err
		}
		fmt.Println("service", arn)
	}
	return nil
}

// create creates the service of a key, or returns it.
func create(ctx context.Context, client *ecs.Client, key clienttoken.Input, cluster, service, task string) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	rule, err := clienttoken.For("ecs", "CreateService")
	if err != nil {
		return "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	if err != nil {
		return "", err
	}
	in := &ecs.CreateServiceInput{Cluster: &cluster, ServiceName: &service, TaskDefinition: &task, DesiredCount: aws.Int32(1)}
	if err := rule.Fill(in, token); err != nil {
		return "", err
	}
	out, err := client.CreateService(ctx, in)
	if err != nil {
		return "", err
	}
	return *out.Service.ServiceArn, nil
}
