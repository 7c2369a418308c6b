package deploytest

import (
	"fmt"
	"strings"
)

// Where both forms are evaluated.
const (
	account   = "111122223333"
	region    = "us-east-1"
	partition = "aws"
	dnsSuffix = "amazonaws.com"
)

// naming is the property that names a resource of a type and is known before it exists.
var naming = map[string]string{
	"AWS::CloudWatch::Alarm":        "AlarmName",
	"AWS::DynamoDB::Table":          "TableName",
	"AWS::Events::Rule":             "Name",
	"AWS::IAM::Role":                "RoleName",
	"AWS::KMS::Alias":               "AliasName",
	"AWS::KMS::Key":                 "Description",
	"AWS::Lambda::Function":         "FunctionName",
	"AWS::Logs::LogGroup":           "LogGroupName",
	"AWS::Organizations::Policy":    "Name",
	"AWS::SQS::Queue":               "QueueName",
	"AWS::Scheduler::Schedule":      "Name",
	"AWS::Scheduler::ScheduleGroup": "Name",
	attachmentOfPolicy:              "Name",
}

// identityOf returns what tells a resource from all others.
func identityOf(r *Resource) (string, error) {
	id := ""
	switch r.Type {
	case "AWS::IAM::RolePolicy":
		id = r.text("RoleName") + "/" + r.text("PolicyName")
	case "AWS::Lambda::EventInvokeConfig":
		id = r.text("FunctionName")
	case "AWS::Lambda::EventSourceMapping":
		id = r.text("EventSourceArn")
	case "AWS::Lambda::Permission":
		id = r.text("FunctionName") + "/" + r.text("Principal")
	case "AWS::SNS::Subscription":
		id = r.text("TopicArn") + "/" + r.text("Endpoint")
	case "AWS::SQS::QueuePolicy":
		for _, url := range r.list("Queues") {
			id += fmt.Sprint(url)
		}
	default:
		id = r.text(naming[r.Type])
	}
	if strings.Trim(id, "/") == "" {
		return "", fmt.Errorf("a resource of type %s has no identity: add its type to internal/deploytest/identity.go", r.Type)
	}
	return r.Type + " " + id, nil
}

// attributesOf returns what other resources can ask of one: Ref and the attributes of CloudFormation, as AWS would form them. property
// returns the value of a naming property.
func attributesOf(kind string, property func(name string) (string, error)) (map[string]string, error) {
	name, err := property(naming[kind])
	if err != nil {
		return nil, err
	}
	arn := func(service, resource string) string {
		return "arn:" + partition + ":" + service + ":" + region + ":" + account + ":" + resource
	}
	switch kind {
	case "AWS::SQS::Queue":
		url := "https://sqs." + region + "." + dnsSuffix + "/" + account + "/" + name
		return map[string]string{"Ref": url, "Arn": arn("sqs", name), "QueueName": name}, nil
	case "AWS::DynamoDB::Table":
		return map[string]string{"Ref": name, "Arn": arn("dynamodb", "table/"+name)}, nil
	case "AWS::Lambda::Function":
		return map[string]string{"Ref": name, "Arn": arn("lambda", "function:"+name)}, nil
	case "AWS::IAM::Role":
		return map[string]string{"Ref": name, "Arn": "arn:" + partition + ":iam::" + account + ":role/" + name}, nil
	case "AWS::KMS::Key": // its id is chance; its description stands for it
		id := strings.NewReplacer(":", "", " ", "-").Replace(name)
		return map[string]string{"Ref": id, "Arn": arn("kms", "key/"+id)}, nil
	case "AWS::Logs::LogGroup":
		return map[string]string{"Ref": name, "Arn": arn("logs", "log-group:"+name+":*")}, nil
	case "AWS::Scheduler::ScheduleGroup":
		return map[string]string{"Ref": name, "Arn": arn("scheduler", "schedule-group/"+name)}, nil
	case "AWS::Events::Rule":
		bus, err := property("EventBusName")
		if err != nil {
			return nil, err
		}
		if bus == "default" {
			return map[string]string{"Ref": name, "Arn": arn("events", "rule/"+name)}, nil
		}
		return map[string]string{"Ref": bus + "|" + name, "Arn": arn("events", "rule/"+bus+"/"+name)}, nil
	}
	return map[string]string{"Ref": name}, nil
}
