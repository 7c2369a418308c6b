// Command cloudformation-create-stack creates one stack for one key, however often it is run:
//
//	go run ./cloudformation-create-stack -template template.yaml -notification notification-12345 -recipient user-67890
//
// The SDK does not fill the token, and what a repeat of it gets is not documented: the stack, TokenAlreadyExistsException or
// AlreadyExistsException. What keeps a second stack away is the name, so the name is derived too, and either error is answered by a look: the
// events of a stack carry the token that made it, and a tag the fingerprint of what was asked for. A stack that was deleted does not keep the
// next one away; where that matters, keep a record of your own.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/ringonce/ringonce/clienttoken"
)

var (
	errForeign = errors.New("the stack of that name was not created for this key")
	errOther   = errors.New("another template was given for this key")
)

// fingerprintTag is the key of the tag that tells what was asked for.
const fingerprintTag = "request"

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	file := flag.String("template", "", "file of the template")
	flag.Parse()
	template, err := os.ReadFile(*file)
	if err == nil {
		err = run(context.Background(), key, string(template))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, template string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := cloudformation.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		id, err := create(ctx, client, key, template)
		if err != nil {
			return err
		}
		fmt.Println("stack", id)
	}
	return nil
}

// create creates the stack of a key, or returns the one that was created.
func create(ctx context.Context, client *cloudformation.Client, key clienttoken.Input, template string) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	rule, err := clienttoken.For("cloudformation", "CreateStack")
	if err != nil {
		return "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(template))
	fingerprint := hex.EncodeToString(sum[:])
	in := &cloudformation.CreateStackInput{
		StackName: aws.String(nameOf(token)), TemplateBody: &template, Tags: []types.Tag{{Key: aws.String(fingerprintTag), Value: &fingerprint}},
	}
	if err := rule.Fill(in, token); err != nil {
		return "", err
	}
	out, err := client.CreateStack(ctx, in)
	switch {
	case exists(err):
		return mine(ctx, client, token, fingerprint)
	case err != nil:
		return "", err
	}
	// Success may be the answer to an earlier request of the key with another template. A look that fails changes nothing: CloudFormation is
	// eventually consistent, and a stack of this moment need not be seen yet.
	if _, err := mine(ctx, client, token, fingerprint); errors.Is(err, errOther) {
		return "", err
	}
	return *out.StackId, nil
}

// nameOf returns the name of the stack, which begins with a letter.
func nameOf(token string) string { return "once-" + token[:32] }

// exists reports whether an error is one of the two that a repeat may get.
func exists(err error) bool {
	_, name := errors.AsType[*types.AlreadyExistsException](err)
	_, token := errors.AsType[*types.TokenAlreadyExistsException](err)
	return name || token
}

// mine returns the stack of the token, if it was created under the token and for the same request.
func mine(ctx context.Context, client *cloudformation.Client, token, fingerprint string) (string, error) {
	name := nameOf(token)
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil {
		return "", err
	}
	if len(out.Stacks) != 1 {
		return "", errForeign
	}
	one := out.Stacks[0]
	made, err := madeBy(ctx, client, *one.StackId)
	switch {
	case err != nil:
		return "", err
	case made != token:
		return "", errForeign
	}
	for _, tag := range one.Tags {
		if *tag.Key == fingerprintTag && *tag.Value != fingerprint {
			return "", errOther
		}
	}
	return *one.StackId, nil
}

// madeBy returns the token under which a stack was created. The oldest event is the last.
func madeBy(ctx context.Context, client *cloudformation.Client, id string) (token string, err error) {
	pages := cloudformation.NewDescribeStackEventsPaginator(client, &cloudformation.DescribeStackEventsInput{StackName: &id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", err
		}
		for _, event := range page.StackEvents {
			if event.ResourceStatus == types.ResourceStatusCreateInProgress && aws.ToString(event.PhysicalResourceId) == id {
				token = aws.ToString(event.ClientRequestToken)
			}
		}
	}
	return token, nil
}
