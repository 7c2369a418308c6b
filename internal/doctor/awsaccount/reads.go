package awsaccount

// Read is one operation that this package sends.
type Read struct {
	Action string // the permission, which is also the operation's name after the colon
	On     string // the resource of a policy that allows no more than this
}

// The operations. sts:GetCallerIdentity needs no permission, and servicequotas knows no resources.
var (
	readCaller       = Read{"sts:GetCallerIdentity", "*"}
	readInstance     = Read{"connect:DescribeInstance", "arn:aws:connect:REGION:ACCOUNT:instance/INSTANCE"}
	readFlow         = Read{"connect:DescribeContactFlow", "arn:aws:connect:REGION:ACCOUNT:instance/INSTANCE/contact-flow/*"}
	readQueue        = Read{"connect:DescribeQueue", "arn:aws:connect:REGION:ACCOUNT:instance/INSTANCE/queue/*"}
	readNumbers      = Read{"connect:ListPhoneNumbersV2", "arn:aws:connect:REGION:ACCOUNT:phone-number/*"}
	readQuotas       = Read{"servicequotas:ListServiceQuotas", "*"}
	readQueueURL     = Read{"sqs:GetQueueUrl", "arn:aws:sqs:REGION:ACCOUNT:QUEUE"}
	readAttributes   = Read{"sqs:GetQueueAttributes", "arn:aws:sqs:REGION:ACCOUNT:QUEUE"}
	readFunction     = Read{"lambda:GetFunctionConfiguration", "arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION"}
	readInvokeConfig = Read{"lambda:GetFunctionEventInvokeConfig", "arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION"}
	readMappings     = Read{"lambda:ListEventSourceMappings", "*"}
	readRule         = Read{"events:DescribeRule", "arn:aws:events:REGION:ACCOUNT:rule/RULE"}
	readTargets      = Read{"events:ListTargetsByRule", "arn:aws:events:REGION:ACCOUNT:rule/RULE"}
	readSchedule     = Read{"scheduler:GetSchedule", "arn:aws:scheduler:REGION:ACCOUNT:schedule/GROUP/SCHEDULE"}
	readTable        = Read{"dynamodb:DescribeTable", "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"}
	readBackups      = Read{"dynamodb:DescribeContinuousBackups", "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"}
	readTimeToLive   = Read{"dynamodb:DescribeTimeToLive", "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"}
)

// Reads returns every operation that this package sends. The policy in docs/doctor.md is held to it by a test.
func Reads() []Read {
	return []Read{
		readCaller, readInstance, readFlow, readQueue, readNumbers, readQuotas, readQueueURL, readAttributes, readFunction, readInvokeConfig,
		readMappings, readRule, readTargets, readSchedule, readTable, readBackups, readTimeToLive,
	}
}
