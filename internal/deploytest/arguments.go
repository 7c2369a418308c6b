package deploytest

// arguments says how a resource type of the Terraform provider is written in CloudFormation's terms.
type arguments struct {
	kind     string            // CloudFormation's type
	required []string          // arguments without which the provider refuses the resource
	members  map[string]string // argument, or block.argument, to the path of a property; "json:" before a path reads a text
	exports  map[string]string // attribute that others may ask for, to CloudFormation's
}

// arguments by type, from the provider's documentation as of version 6.25. An argument that is not listed here is refused by the reader: look
// it up, then add it.
func argumentsOf(kind string) (arguments, bool) {
	for _, table := range []map[string]arguments{queueArguments, functionArguments, eventArguments, storeArguments} {
		if a, ok := table[kind]; ok {
			return a, true
		}
	}
	return arguments{}, false
}

var queueArguments = map[string]arguments{
	"aws_sqs_queue": {
		kind: "AWS::SQS::Queue",
		members: map[string]string{
			"name": "QueueName", "visibility_timeout_seconds": "VisibilityTimeout", "message_retention_seconds": "MessageRetentionPeriod",
			"kms_master_key_id": "KmsMasterKeyId", "sqs_managed_sse_enabled": "SqsManagedSseEnabled", "redrive_policy": "json:RedrivePolicy",
			"redrive_allow_policy": "json:RedriveAllowPolicy", "fifo_queue": "FifoQueue", "delay_seconds": "DelaySeconds",
		},
		exports: map[string]string{"arn": "Arn", "url": "Ref", "id": "Ref", "name": "QueueName"},
	},
	"aws_sqs_queue_policy": {
		kind: "AWS::SQS::QueuePolicy", required: []string{"queue_url", "policy"},
		members: map[string]string{"queue_url": "Queues", "policy": "json:PolicyDocument"},
	},
	"aws_sns_topic_subscription": {
		kind: "AWS::SNS::Subscription", required: []string{"topic_arn", "protocol", "endpoint"},
		members: map[string]string{
			"topic_arn": "TopicArn", "protocol": "Protocol", "endpoint": "Endpoint", "raw_message_delivery": "RawMessageDelivery",
			"redrive_policy": "json:RedrivePolicy",
		},
	},
}

var functionArguments = map[string]arguments{
	"aws_lambda_function": {
		kind: "AWS::Lambda::Function", required: []string{"function_name", "role", "runtime", "handler", "filename"},
		members: map[string]string{
			"function_name": "FunctionName", "filename": "Code", "source_code_hash": "", "runtime": "Runtime", "handler": "Handler",
			"architectures": "Architectures", "role": "Role", "timeout": "Timeout", "memory_size": "MemorySize",
			"reserved_concurrent_executions": "ReservedConcurrentExecutions", "environment.variables": "Environment.Variables",
			"tracing_config.mode": "TracingConfig.Mode", "logging_config.log_format": "LoggingConfig.LogFormat",
			"logging_config.log_group": "LoggingConfig.LogGroup",
		},
		exports: map[string]string{"arn": "Arn", "function_name": "Ref"},
	},
	"aws_lambda_function_event_invoke_config": {
		kind: "AWS::Lambda::EventInvokeConfig", required: []string{"function_name"},
		members: map[string]string{
			"function_name": "FunctionName", "qualifier": "Qualifier", "maximum_event_age_in_seconds": "MaximumEventAgeInSeconds",
			"maximum_retry_attempts": "MaximumRetryAttempts", "destination_config.on_failure.destination": "DestinationConfig.OnFailure.Destination",
		},
	},
	"aws_lambda_event_source_mapping": {
		kind: "AWS::Lambda::EventSourceMapping", required: []string{"function_name", "event_source_arn"},
		members: map[string]string{
			"event_source_arn": "EventSourceArn", "function_name": "FunctionName", "enabled": "Enabled", "batch_size": "BatchSize",
			"maximum_batching_window_in_seconds": "MaximumBatchingWindowInSeconds", "function_response_types": "FunctionResponseTypes",
			"scaling_config.maximum_concurrency": "ScalingConfig.MaximumConcurrency",
		},
	},
	"aws_lambda_permission": {
		kind: "AWS::Lambda::Permission", required: []string{"action", "function_name", "principal"},
		members: map[string]string{
			"action": "Action", "function_name": "FunctionName", "principal": "Principal", "source_arn": "SourceArn", "source_account": "SourceAccount",
		},
	},
	"aws_iam_role": {
		kind: "AWS::IAM::Role", required: []string{"assume_role_policy"},
		members: map[string]string{"name": "RoleName", "description": "Description", "assume_role_policy": "json:AssumeRolePolicyDocument"},
		exports: map[string]string{"arn": "Arn", "name": "Ref"},
	},
	"aws_iam_role_policy": {
		kind: "AWS::IAM::RolePolicy", required: []string{"role", "policy"},
		members: map[string]string{"name": "PolicyName", "role": "RoleName", "policy": "json:PolicyDocument"},
	},
}

var eventArguments = map[string]arguments{
	"aws_cloudwatch_event_rule": {
		kind: "AWS::Events::Rule",
		members: map[string]string{
			"name": "Name", "description": "Description", "event_bus_name": "EventBusName", "state": "State", "event_pattern": "json:EventPattern",
		},
		exports: map[string]string{"arn": "Arn", "name": "Name"},
	},
	"aws_cloudwatch_event_target": { // CloudFormation has it within its rule
		kind: targetOfRule, required: []string{"rule", "arn"},
		members: map[string]string{
			"rule": "Rule", "event_bus_name": "EventBusName", "target_id": "Id", "arn": "Arn", "dead_letter_config.arn": "DeadLetterConfig.Arn",
			"retry_policy.maximum_event_age_in_seconds": "RetryPolicy.MaximumEventAgeInSeconds",
			"retry_policy.maximum_retry_attempts":       "RetryPolicy.MaximumRetryAttempts",
		},
	},
	"aws_scheduler_schedule": {
		kind: "AWS::Scheduler::Schedule", required: []string{"schedule_expression", "flexible_time_window", "target"},
		members: map[string]string{
			"name": "Name", "group_name": "GroupName", "description": "Description", "state": "State", "schedule_expression": "ScheduleExpression",
			"flexible_time_window.mode": "FlexibleTimeWindow.Mode", "target.arn": "Target.Arn", "target.role_arn": "Target.RoleArn",
			"target.input": "Target.Input", "target.retry_policy.maximum_event_age_in_seconds": "Target.RetryPolicy.MaximumEventAgeInSeconds",
			"target.retry_policy.maximum_retry_attempts": "Target.RetryPolicy.MaximumRetryAttempts",
		},
	},
	"aws_scheduler_schedule_group": {
		kind: "AWS::Scheduler::ScheduleGroup", members: map[string]string{"name": "Name"}, exports: map[string]string{"arn": "Arn", "name": "Ref"},
	},
	"aws_cloudwatch_metric_alarm": {
		kind: "AWS::CloudWatch::Alarm", required: []string{"alarm_name", "comparison_operator", "evaluation_periods"},
		members: map[string]string{
			"alarm_name": "AlarmName", "alarm_description": "AlarmDescription", "namespace": "Namespace", "metric_name": "MetricName",
			"dimensions": "Dimensions", "statistic": "Statistic", "comparison_operator": "ComparisonOperator", "threshold": "Threshold",
			"period": "Period", "evaluation_periods": "EvaluationPeriods", "datapoints_to_alarm": "DatapointsToAlarm",
			"treat_missing_data": "TreatMissingData", "alarm_actions": "AlarmActions", "ok_actions": "OKActions",
		},
	},
	"aws_organizations_policy": {
		kind: "AWS::Organizations::Policy", required: []string{"name", "content"},
		members: map[string]string{"name": "Name", "description": "Description", "type": "Type", "content": "json:Content"},
		exports: map[string]string{"id": "Ref"},
	},
	"aws_organizations_policy_attachment": {
		kind: attachmentOfPolicy, required: []string{"policy_id", "target_id"},
		members: map[string]string{"policy_id": "PolicyId", "target_id": "Name"},
	},
}

var storeArguments = map[string]arguments{
	"aws_kms_key": {
		kind: "AWS::KMS::Key",
		members: map[string]string{
			"description": "Description", "enable_key_rotation": "EnableKeyRotation", "deletion_window_in_days": "PendingWindowInDays", "policy": "json:KeyPolicy",
		},
		exports: map[string]string{"arn": "Arn", "key_id": "Ref"},
	},
	"aws_kms_alias": {
		kind: "AWS::KMS::Alias", required: []string{"target_key_id"}, members: map[string]string{"name": "AliasName", "target_key_id": "TargetKeyId"},
	},
	"aws_cloudwatch_log_group": {
		kind: "AWS::Logs::LogGroup", members: map[string]string{"name": "LogGroupName", "retention_in_days": "RetentionInDays"},
		exports: map[string]string{"arn": "Arn", "name": "Ref"},
	},
	"aws_dynamodb_table": {
		kind: "AWS::DynamoDB::Table", required: []string{"name", "hash_key", "attribute"},
		members: map[string]string{
			"name": "TableName", "billing_mode": "BillingMode", "deletion_protection_enabled": "DeletionProtectionEnabled",
			"hash_key": "KeySchema", "range_key": "RangeKey", "point_in_time_recovery.enabled": "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled",
			"server_side_encryption.enabled": "SSESpecification.SSEEnabled", "server_side_encryption.kms_key_arn": "SSESpecification.KMSMasterKeyId",
			"attribute": "AttributeDefinitions", "global_secondary_index": "GlobalSecondaryIndexes",
			"ttl.attribute_name": "TimeToLiveSpecification.AttributeName", "ttl.enabled": "TimeToLiveSpecification.Enabled", "replica": "Replicas",
		},
		exports: map[string]string{"arn": "Arn", "name": "Ref"},
	},
}
