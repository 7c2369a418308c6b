package deploytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Problems returns what is wrong with a stack; nothing when it may be deployed. Each begins with the name of its rule.
func Problems(s *Stack) []string {
	var found []string
	d, err := s.Deployment()
	if err != nil {
		return []string{"deployment: " + err.Error()}
	}
	for _, f := range doctor.Arithmetic(d) {
		if f.Level != doctor.OK {
			found = append(found, f.Check+": "+f.What+" "+f.Fix)
		}
	}
	for _, rule := range []func(*Stack) []string{queueProblems, mappingProblems, functionProblems, keyProblems, scheduleProblems, policyProblems, alarmProblems} {
		found = append(found, rule(s)...)
	}
	return found
}

// queueProblems holds encryption, transport, dead-letter queues and survival.
func queueProblems(s *Stack) []string {
	var found []string
	sources := map[string][]string{}
	for _, queue := range s.of("AWS::SQS::Queue") {
		name := queue.text("QueueName")
		if !encrypted(queue) {
			found = append(found, "encryption: the queue "+name+" is not encrypted")
		}
		if !slices.ContainsFunc(s.statements(), func(st Statement) bool {
			return strings.HasSuffix(st.Holder, "/"+name) && st.Effect == "Deny" && slices.Contains(st.Conditions, "Bool aws:SecureTransport=false")
		}) {
			found = append(found, "transport: the queue "+name+" takes requests in clear")
		}
		if target := queue.text("RedrivePolicy", "deadLetterTargetArn"); target != "" {
			sources[target] = append(sources[target], "arn:"+partition+":sqs:"+region+":"+account+":"+name)
		}
		if survives := strings.HasSuffix(name, "-requests") || strings.HasSuffix(name, "-dlq") || strings.HasSuffix(name, "-undelivered"); survives && !queue.Retained {
			found = append(found, "retained: the queue "+name+" goes with the deployment, and its requests with it")
		}
	}
	for _, queue := range s.of("AWS::SQS::Queue") {
		arn := "arn:" + partition + ":sqs:" + region + ":" + account + ":" + queue.text("QueueName")
		allowed := texts(queue.list("RedriveAllowPolicy", "sourceQueueArns"))
		wanted := slices.Sorted(slices.Values(sources[arn]))
		if len(wanted) > 0 && (queue.text("RedriveAllowPolicy", "redrivePermission") != "byQueue" || !slices.Equal(allowed, wanted)) {
			found = append(found, fmt.Sprintf("redrive-allow: %s takes from %v, not from its sources %v alone", arn, allowed, wanted))
		}
	}
	return found
}

// mappingProblems holds every queue that feeds the function, not the one of requests alone.
func mappingProblems(s *Stack) []string {
	var found []string
	for _, mapping := range s.of("AWS::Lambda::EventSourceMapping") {
		name, trigger := nameOf(mapping.text("EventSourceArn")), triggerOf(mapping)
		if !trigger.PartialResponses {
			found = append(found, "partial-responses: the mapping of "+name+" reads no answers for single records")
		}
		if trigger.Concurrency < 2 || trigger.BatchSize != 10 {
			found = append(found, fmt.Sprintf("pacing: the mapping of %s has batches of %d and concurrency %d", name, trigger.BatchSize, trigger.Concurrency))
		}
		for _, function := range s.of("AWS::Lambda::Function") {
			if least := doctor.VisibilityFactor * seconds(function.number("Timeout")); s.queue(name).Visibility < least {
				found = append(found, fmt.Sprintf("visibility: the queue %s hides messages for less than %s", name, least))
			}
		}
	}
	return found
}

// functionProblems holds how the function runs and who may invoke it.
func functionProblems(s *Stack) []string {
	var found []string
	for _, function := range s.of("AWS::Lambda::Function") {
		for _, want := range []struct {
			path  []string
			value string
		}{
			{[]string{"Runtime"}, "provided.al2023"},
			{[]string{"Handler"}, "bootstrap"},
			{[]string{"MemorySize"}, "256"},
			{[]string{"TracingConfig", "Mode"}, "Active"},
			{[]string{"RecursiveLoop"}, "Allow"}, // else Lambda drops hints of a call that waits often
			{[]string{"LoggingConfig", "LogGroup"}, "/aws/lambda/" + function.text("FunctionName")},
		} {
			if got := function.text(want.path...); got != want.value {
				found = append(found, fmt.Sprintf("function: %s is %q, not %q", strings.Join(want.path, "."), got, want.value))
			}
		}
	}
	for _, group := range s.of("AWS::Logs::LogGroup") {
		if group.number("RetentionInDays") == 0 {
			found = append(found, "log: "+group.text("LogGroupName")+" is kept for ever")
		}
	}
	for _, permission := range s.of("AWS::Lambda::Permission") {
		principal := permission.text("Principal")
		known := principal == "events.amazonaws.com" || principal == "sns.amazonaws.com"
		if principal == "connect.amazonaws.com" { // whoever speaks for the instance says what was answered and confirmed
			known = strings.Contains(permission.text("SourceArn"), ":instance/") && permission.text("SourceAccount") != ""
		}
		if !known || permission.text("SourceArn") == "" || strings.Contains(permission.text("SourceArn"), "*") {
			found = append(found, "invoke: "+principal+" may invoke the function from "+permission.text("SourceArn"))
		}
	}
	return found
}

// keyProblems holds what must outlive the deployment, and rotation.
func keyProblems(s *Stack) []string {
	var found []string
	for _, r := range slices.Concat(s.of("AWS::KMS::Key"), s.of("AWS::DynamoDB::Table")) {
		if !r.Retained {
			found = append(found, "retained: "+r.text("Description")+r.text("TableName")+" goes with the deployment")
		}
	}
	for _, key := range s.of("AWS::KMS::Key") {
		if key.text("EnableKeyRotation") != "true" || key.number("PendingWindowInDays") != 30 {
			found = append(found, "key: "+key.text("Description")+" does not rotate, or can be deleted in less than 30 days")
		}
	}
	return found
}

// scheduleProblems holds that what the schedule sends is a sweep to the function.
func scheduleProblems(s *Stack) []string {
	var found []string
	for _, schedule := range s.of("AWS::Scheduler::Schedule") {
		doc := envelope.Decode([]byte(schedule.text("Target", "Input")), envelope.Options{})
		if len(doc.Records) != 1 || !doc.Records[0].IsSweep() {
			found = append(found, "sweep-input: the function does not take the input of the schedule for a sweep")
		}
		if retries := schedule.number("Target", "RetryPolicy", "MaximumRetryAttempts"); retries == 0 || retries > 3 {
			found = append(found, fmt.Sprintf("sweep-retries: %d", retries))
		}
	}
	return found
}

// policyProblems holds permissions: no wildcard without a reason, no open door, and nothing that forgets.
func policyProblems(s *Stack) []string {
	var found []string
	forbidden := []string{"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:DeleteTable", "dynamodb:Scan", "dynamodb:UpdateTimeToLive"}
	denied := false
	for _, statement := range s.statements() {
		isRole := !strings.HasPrefix(statement.Holder, "https:") && len(statement.Principals) == 0
		if isRole {
			found = append(found, wideResources(statement)...)
		}
		found = append(found, openDoors(statement)...)
		denied = denied || (statement.Effect == "Deny" && slices.Equal(statement.Actions, forbidden))
	}
	if !denied {
		found = append(found, "forget: the dialer is not denied "+strings.Join(forbidden, ", "))
	}
	return found
}
