package deploytest

import (
	"strings"
	"testing"
)

// plant is a defect in both forms: file, text, and what it becomes.
type plant struct {
	name string
	sam  [2]string
	tf   [3]string
	want string // beginning of the problem that must be found
}

var plants = []plant{
	{
		name: "visibility lowered", want: "visibility: ",
		sam: [2]string{"VisibilityTimeout: 360 # 6", "VisibilityTimeout: 359 # 6"},
		tf:  [3]string{"queue.tf", "visibility       = 6 * local.function_timeout", "visibility       = 6 * local.function_timeout - 1"},
	},
	{
		name: "a function that starts nothing", want: "function-timeout: ",
		sam: [2]string{"Timeout: 60 #", "Timeout: 16 #"},
		tf:  [3]string{"queue.tf", "function_timeout = 60 ", "function_timeout = 16 "},
	},
	{
		name: "no partial responses", want: "partial-responses: ",
		sam: [2]string{"FunctionResponseTypes: [ReportBatchItemFailures] # without", "# without"},
		tf:  [3]string{"function.tf", `function_response_types            = ["ReportBatchItemFailures"] # without`, "# without"},
	},
	{
		name: "given up too early", want: "receives: ",
		sam: [2]string{"maxReceiveCount: 10 #", "maxReceiveCount: 4 #"},
		tf:  [3]string{"queue.tf", "maxReceiveCount     = 10 #", "maxReceiveCount     = 4 #"},
	},
	{
		name: "a short dead-letter queue", want: "retention: ",
		sam: [2]string{"MessageRetentionPeriod: 1209600 # 14", "MessageRetentionPeriod: 345600 # 14"},
		tf:  [3]string{"queue.tf", "14 * local.days # the most", "4 * local.days # the most"},
	},
	{
		name: "time to live", want: "table-ttl: ",
		sam: [2]string{"      BillingMode: PAY", "      TimeToLiveSpecification: { AttributeName: expires, Enabled: true }\n      BillingMode: PAY"},
		tf:  [3]string{"table.tf", "  point_in_time_recovery {", "  ttl {\n    attribute_name = \"expires\"\n    enabled        = true\n  }\n\n  point_in_time_recovery {"},
	},
	{
		name: "no backup", want: "table-backup: ",
		sam: [2]string{"PointInTimeRecoveryEnabled: true", "PointInTimeRecoveryEnabled: false"},
		tf:  [3]string{"table.tf", "point_in_time_recovery {\n    enabled = true", "point_in_time_recovery {\n    enabled = false"},
	},
	{
		name: "no key of the table", want: "table-encryption: ",
		sam: [2]string{"SSEEnabled: true", "SSEEnabled: false"},
		tf:  [3]string{"table.tf", "enabled     = true", "enabled     = false"},
	},
	{
		name: "deletion without protection", want: "table-protection: ",
		sam: [2]string{"DeletionProtectionEnabled: true", "DeletionProtectionEnabled: false"},
		tf:  [3]string{"table.tf", "deletion_protection_enabled = true", "deletion_protection_enabled = false"},
	},
	{
		name: "a table that goes", want: "retained: ",
		sam: [2]string{"  CallTable:\n    Type: AWS::DynamoDB::Table\n    DeletionPolicy: Retain", "  CallTable:\n    Type: AWS::DynamoDB::Table\n    DeletionPolicy: Delete"},
		tf:  [3]string{"table.tf", "prevent_destroy = true", "prevent_destroy = false"},
	},
	{
		name: "the sweep's index gone", want: "table-due: ",
		sam: [2]string{"IndexName: due #", "IndexName: overdue #"},
		tf:  [3]string{"table.tf", `name            = "due"`, `name            = "overdue"`},
	},
	{
		name: "another key", want: "table-key: ",
		sam: [2]string{"{ AttributeName: pk, KeyType: HASH }", "{ AttributeName: id, KeyType: HASH }"},
		tf:  [3]string{"table.tf", `hash_key                    = "pk"`, `hash_key                    = "id"`},
	},
	{
		name: "a slow sweep", want: "sweep-schedule: ",
		sam: [2]string{"rate(1 minute)", "rate(5 minutes)"},
		tf:  [3]string{"schedule.tf", "rate(1 minute)", "rate(5 minutes)"},
	},
	{
		name: "no sweep", want: "sweep-schedule: ",
		sam: [2]string{"State: ENABLED\n      ScheduleExpression", "State: DISABLED\n      ScheduleExpression"},
		tf:  [3]string{"schedule.tf", `state               = "ENABLED"`, `state               = "DISABLED"`},
	},
	{
		name: "another input of the sweep", want: "sweep-input: ",
		sam: [2]string{`'{"ringonce":"sweep"}'`, `'{"ringonce":"sweep","limit":5}'`},
		tf:  [3]string{"schedule.tf", `{\"ringonce\":\"sweep\"}`, `{\"ringonce\":\"swept\"}`},
	},
	{
		name: "nowhere to fail", want: "on-failure: ",
		sam: [2]string{"            Type: SQS\n            Destination: !GetAtt UndeliveredQueue.Arn", "            Type: SQS\n            Destination: \"\""},
		tf:  [3]string{"function.tf", "destination = aws_sqs_queue.undelivered.arn", `destination = ""`},
	},
	{
		name: "a wildcard action", want: "iam: ringonce-dialer HangUpWhatWasCanceled has the wildcard action",
		sam: [2]string{"Action: connect:StopContact", "Action: connect:*"},
		tf:  [3]string{"iam.tf", `"connect:StopContact"`, `"connect:*"`},
	},
	{
		name: "a wide resource", want: "iam: ringonce-dialer KeepWhatFailed reaches",
		sam: [2]string{"Action: sqs:SendMessage\n            Resource: !GetAtt UndeliveredQueue.Arn\n          - Sid: Log", "Action: sqs:SendMessage\n            Resource: \"*\"\n          - Sid: Log"},
		tf:  [3]string{"iam.tf", "Resource = aws_sqs_queue.undelivered.arn", `Resource = "*"`},
	},
	{
		name: "a denial gone", want: "forget: ",
		sam: [2]string{"              - dynamodb:DeleteItem\n", ""},
		tf:  [3]string{"iam.tf", "            \"dynamodb:DeleteItem\",\n", ""},
	},
	{
		name: "a key for everybody", want: "key: ",
		sam: [2]string{"Principal: { Service: events.amazonaws.com }\n            Action: [kms:Decrypt, kms:GenerateDataKey]", "Principal: \"*\"\n            Action: [kms:Decrypt, kms:GenerateDataKey]"},
		tf:  [3]string{"key.tf", `Principal = { Service = "events.amazonaws.com" }`, `Principal = "*"`},
	},
	{
		name: "a key for another account", want: "key: ",
		sam: [2]string{"Sid: UseThroughTableAndQueues\n            Effect: Allow\n            Principal: { AWS: !Sub \"arn:${AWS::Partition}:iam::${AWS::AccountId}:root\" }", "Sid: UseThroughTableAndQueues\n            Effect: Allow\n            Principal: { AWS: \"arn:aws:iam::444455556666:root\" }"},
		tf:  [3]string{"key.tf", "Sid       = \"UseThroughTableAndQueues\"\n          Effect    = \"Allow\"\n          Principal = { AWS = local.account_root }", "Sid       = \"UseThroughTableAndQueues\"\n          Effect    = \"Allow\"\n          Principal = { AWS = \"arn:aws:iam::444455556666:root\" }"},
	},
	{
		name: "no rotation", want: "key: ",
		sam: [2]string{"${Name}: table and queues\"\n      EnableKeyRotation: true", "${Name}: table and queues\"\n      EnableKeyRotation: false"},
		tf:  [3]string{"key.tf", "table and queues\"\n  enable_key_rotation     = true", "table and queues\"\n  enable_key_rotation     = false"},
	},
	{
		name: "a queue for everybody's events", want: "policy: ",
		sam: [2]string{"Resource: !GetAtt ContactQueue.Arn\n            Condition:\n              ArnEquals: { \"aws:SourceArn\": !GetAtt ContactRule.Arn }\n              StringEquals", "Resource: !GetAtt ContactQueue.Arn\n            Condition:\n              StringEquals"},
		tf:  [3]string{"queue.tf", "      ArnEquals    = { \"aws:SourceArn\" = aws_cloudwatch_event_rule.contacts.arn }\n", ""},
	},
	{
		name: "a role for every account's schedules", want: "policy: trust of ringonce-sweep",
		sam: [2]string{"                aws:SourceArn: !Sub \"arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule-group/default\"\n", ""},
		tf:  [3]string{"iam.tf", "          \"aws:SourceArn\"     = \"arn:${local.partition}:scheduler:${local.region}:${local.account_id}:schedule-group/default\"\n", ""},
	},
	{
		name: "a queue in clear", want: "encryption: ",
		sam: [2]string{"      MessageRetentionPeriod: 345600 # 4 days; less than the dead-letter queue's, whose clock does not start anew\n      KmsMasterKeyId: !GetAtt Key.Arn", "      MessageRetentionPeriod: 345600"},
		tf:  [3]string{"queue.tf", "# less than the dead-letter queue's, whose clock does not start anew\n  kms_master_key_id          = aws_kms_key.main.arn", ""},
	},
	{
		name: "no transport encryption", want: "transport: ",
		sam: [2]string{"Resource: !GetAtt DeadLetterQueue.Arn\n            Condition:\n              Bool: { \"aws:SecureTransport\": \"false\" }", "Resource: !GetAtt DeadLetterQueue.Arn\n            Condition:\n              Bool: { \"aws:SecureTransport\": \"true\" }"},
		tf:  [3]string{"queue.tf", `"aws:SecureTransport" = "false"`, `"aws:SecureTransport" = "true"`},
	},
	{
		name: "a dead-letter queue for every source", want: "redrive-allow: ",
		sam: [2]string{"redrivePermission: byQueue", "redrivePermission: allowAll"},
		tf:  [3]string{"queue.tf", `redrivePermission = "byQueue"`, `redrivePermission = "allowAll"`},
	},
	{
		name: "another bootstrap", want: "function: ",
		sam: [2]string{"Runtime: provided.al2023", "Runtime: provided.al2"},
		tf:  [3]string{"function.tf", `"provided.al2023"`, `"provided.al2"`},
	},
	{
		name: "hints taken for a loop", want: "function: ",
		sam: [2]string{"RecursiveLoop: Allow", "RecursiveLoop: Terminate"},
		tf:  [3]string{"function.tf", `recursive_loop = "Allow"`, `recursive_loop = "Terminate"`},
	},
	{
		name: "no tracing", want: "function: ",
		sam: [2]string{"Tracing: Active", "Tracing: PassThrough"},
		tf:  [3]string{"function.tf", `mode = "Active"`, `mode = "PassThrough"`},
	},
	{
		name: "a missing alarm", want: "alarm: there is no alarm conflict",
		sam: [2]string{"AlarmName: !Sub \"${Name}-conflict\"", "AlarmName: !Sub \"${Name}-conflicts\""},
		tf:  [3]string{"alarms.tf", "    conflict = {", "    conflicts = {"},
	},
	{
		name: "an alarm on another metric", want: "alarm: in-doubt looks at",
		sam: [2]string{"MetricName: InDoubt", "MetricName: Doubts"},
		tf:  [3]string{"alarms.tf", `"InDoubt"`, `"Doubts"`},
	},
	{
		name: "silence that is taken for a sweep", want: "alarm: no-sweep looks at",
		sam: [2]string{"TreatMissingData: breaching", "TreatMissingData: ignore"},
		tf:  [3]string{"alarms.tf", `= "breaching"`, `= "ignore"`},
	},
	{
		name: "good news of a doubt", want: "alarm: in-doubt has the wrong word",
		sam: [2]string{"      MetricName: InDoubt\n", "      MetricName: InDoubt\n      OKActions: !If [HasAlarmTopic, [!Ref AlarmTopicArn], !Ref AWS::NoValue]\n"},
		tf:  [3]string{"alarms.tf", `happened = ["in-doubt", `, `happened = [`},
	},
	{
		name: "an alarm that helps nobody", want: "alarm: ringonce-setup-refused does not say",
		sam: [2]string{"First step: run ringonce doctor; the line", "Run ringonce doctor; the line"},
		tf:  [3]string{"alarms.tf", "First step: run ringonce doctor; the line", "Run ringonce doctor; the line"},
	},
	{
		name: "no ledger", want: "memory: ",
		sam: [2]string{"                driver: dynamodb\n", "                driver: none\n"},
		tf:  [3]string{"function.tf", `"  driver: dynamodb",`, `"  driver: none",`},
	},
}

func TestEachPlantedDefectIsFoundInBothForms(t *testing.T) {
	t.Parallel()
	s := read(t)
	given := sets()["alarms"] // with somebody to tell
	for _, p := range plants {
		sam, err := ReadSAM(s.planted(t, "", p.sam[0], p.sam[1]).sam, given)
		if err != nil {
			t.Errorf("%s: deploy/sam: %v", p.name, err)
			continue
		}
		terraform, err := ReadTerraform(s.planted(t, p.tf[0], p.tf[1], p.tf[2]).terraform, given)
		if err != nil {
			t.Errorf("%s: deploy/terraform: %v", p.name, err)
			continue
		}
		for form, stack := range map[string]*Stack{"sam": sam, "terraform": terraform} {
			found := Problems(stack)
			seen := false
			for _, problem := range found {
				seen = seen || strings.HasPrefix(problem, p.want)
			}
			if !seen {
				t.Errorf("%s in %s: no %q in %q", p.name, form, p.want, found)
			}
		}
	}
}

// TestADirectInvocationFromAnywhereIsFound is about what exists in the direct mode alone.
func TestADirectInvocationFromAnywhereIsFound(t *testing.T) {
	t.Parallel()
	s := read(t)
	sam, _ := s.planted(t, "", "Principal: sns.amazonaws.com\n      SourceArn: !Ref TopicArn", "Principal: sns.amazonaws.com").stacks(t, sets()["direct"])
	_, terraform := s.planted(t, "events.tf", "principal     = \"sns.amazonaws.com\"\n  source_arn    = var.topic_arn", `principal     = "sns.amazonaws.com"`).stacks(t, sets()["direct"])
	for _, stack := range []*Stack{sam, terraform} {
		if found := strings.Join(Problems(stack), "\n"); !strings.Contains(found, "invoke: sns.amazonaws.com") {
			t.Errorf("found %s", found)
		}
	}
}

// TestAFlowOfAnyInstanceIsFound is about the permission of flows, which exists when it is asked for.
func TestAFlowOfAnyInstanceIsFound(t *testing.T) {
	t.Parallel()
	s := read(t)
	plants := []struct{ sam, tf [2]string }{
		{
			[2]string{"Principal: connect.amazonaws.com\n      SourceArn: !Sub\n        - \"arn:${AWS::Partition}:connect:${ConnectRegion}:${AWS::AccountId}:instance/${InstanceId}\"", "Principal: connect.amazonaws.com\n      SourceArn: !Sub\n        - \"arn:${AWS::Partition}:connect:${ConnectRegion}:${AWS::AccountId}:instance/*\""},
			[2]string{"principal      = \"connect.amazonaws.com\"\n  source_arn     = local.instance_arn", "principal      = \"connect.amazonaws.com\"\n  source_arn     = \"${local.instance_arn}*\""},
		},
		{
			[2]string{"Principal: connect.amazonaws.com\n", "Principal: \"*\"\n"},
			[2]string{"principal      = \"connect.amazonaws.com\"", "principal      = \"*\""},
		},
	}
	for _, p := range plants {
		sam, _ := s.planted(t, "", p.sam[0], p.sam[1]).stacks(t, sets()["flow"])
		_, terraform := s.planted(t, "events.tf", p.tf[0], p.tf[1]).stacks(t, sets()["flow"])
		for _, stack := range []*Stack{sam, terraform} {
			if found := strings.Join(Problems(stack), "\n"); !strings.Contains(found, "invoke: ") {
				t.Errorf("%s: found %s", p.tf[1], found)
			}
		}
	}
}
