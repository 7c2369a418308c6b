package checkup_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var absent = refusal{http.StatusNotFound, "ResourceNotFoundException"}

func answer(action string, answer any) func(*world) {
	return func(w *world) { w.account.answers[action] = answer }
}

func queue(change object) func(*world) {
	return func(w *world) { w.account.byKey["sqs:GetQueueAttributes "+queueURL] = attributes(change) }
}

func deadLetters(change object) func(*world) {
	return func(w *world) { w.account.byKey["sqs:GetQueueAttributes "+deadURL] = dead(change) }
}

// plants are defects of a set-up: name of the check, a slash, and what is wrong.
func plants() map[string]func(*world) {
	all := telephonePlants()
	maps.Copy(all, deploymentPlants())
	maps.Copy(all, ledgerPlants())
	return all
}

func telephonePlants() map[string]func(*world) {
	return map[string]func(*world){
		"configuration/override": func(w *world) { w.subject.Overrides = []string{"AWS_ENDPOINT_URL"} },
		"credentials/unknown":    answer("sts:GetCallerIdentity", refusal{http.StatusForbidden, "InvalidClientTokenId"}),
		"clock/behind":           func(w *world) { w.clock.wrong = -2 * time.Minute },
		"clock/ahead":            func(w *world) { w.clock.wrong = 10 * time.Minute },
		"instance/absent":        answer("connect:DescribeInstance", absent),
		"instance/failed":        answer("connect:DescribeInstance", instanceOf(object{"InstanceStatus": "CREATION_FAILED"})),
		"outbound-calls/off":     answer("connect:DescribeInstance", instanceOf(object{"OutboundCallsEnabled": false})),
		"flow/absent":            answer("connect:DescribeContactFlow", absent),
		"flow/draft":             answer("connect:DescribeContactFlow", refusal{http.StatusNotFound, "ContactFlowNotPublishedException"}),
		"flow/saved":             answer("connect:DescribeContactFlow", object{"ContactFlow": object{"Id": flow, "State": "ACTIVE", "Status": "SAVED"}}),
		"flow/archived":          answer("connect:DescribeContactFlow", object{"ContactFlow": object{"Id": flow, "State": "ARCHIVED", "Status": "PUBLISHED"}}),
		"call-queue/absent":      answer("connect:DescribeQueue", absent),
		"call-queue/disabled":    answer("connect:DescribeQueue", object{"Queue": object{"QueueId": callers, "Status": "DISABLED"}}),
		"source-phone/foreign":   answer("connect:ListPhoneNumbersV2", object{"ListPhoneNumbersSummaryList": []object{{"PhoneNumber": "+12025550101"}}}),
		"pacing/fast":            func(w *world) { w.subject.PerSecond = 2.1 },
		"concurrent-calls/few":   answer("servicequotas:ListServiceQuotas", quotasOf(2, 10)),
		"shared-pace/apart":      func(w *world) { w.subject.SharedPace = false },
		"numbering-plan/old":     func(w *world) { w.subject.Numbering.Released = time.Now().AddDate(-2, 0, 0) },
		"destinations/beyond":    func(w *world) { w.subject.Numbering.Beyond = []string{"+8160 (personal)"} },
		"resend/token":           func(w *world) { w.subject.Profiles[0].Resend = call.ResendToken },
		"caller-id/neither":      func(w *world) { w.subject.Profiles[0].QueueID, w.subject.Profiles[0].SourcePhone = "", "" },
		"caller-id/queue": func(w *world) {
			w.subject.Profiles[0].SourcePhone = ""
			w.account.answers["connect:DescribeQueue"] = object{"Queue": object{"QueueId": callers, "Status": "ENABLED"}}
		},
		"configuration/nonemulator": func(w *world) { w.subject.Production = false },
	}
}

func deploymentPlants() map[string]func(*world) {
	return map[string]func(*world){
		"source/absent":           func(w *world) { delete(w.account.byKey, "sqs:GetQueueAttributes "+queueURL) },
		"visibility/short":        queue(object{"VisibilityTimeout": "359"}),
		"visibility/window":       answer("lambda:ListEventSourceMappings", mapping(object{"MaximumBatchingWindowInSeconds": 1})),
		"receives/few":            queue(object{"RedrivePolicy": `{"deadLetterTargetArn":"` + deadARN + `","maxReceiveCount":"4"}`}),
		"receives/none":           queue(object{"RedrivePolicy": ""}),
		"retention/equal":         deadLetters(object{"MessageRetentionPeriod": "345600"}),
		"queue-kinds/mixed":       deadLetters(object{"FifoQueue": "true"}),
		"queue-encryption/off":    deadLetters(object{"SqsManagedSseEnabled": "false"}),
		"dead-letters/three":      deadLetters(object{"ApproximateNumberOfMessages": "3"}),
		"function/absent":         answer("lambda:GetFunctionConfiguration", absent),
		"function/failed":         answer("lambda:GetFunctionConfiguration", configuration(object{"State": "Failed"})),
		"function-timeout/short":  answer("lambda:GetFunctionConfiguration", configuration(object{"Timeout": 16})),
		"trigger/none":            answer("lambda:ListEventSourceMappings", object{"EventSourceMappings": []object{}}),
		"trigger/disabled":        answer("lambda:ListEventSourceMappings", mapping(object{"State": "Disabled"})),
		"partial-responses/off":   answer("lambda:ListEventSourceMappings", mapping(object{"FunctionResponseTypes": []string{}})),
		"concurrency/unlimited":   answer("lambda:ListEventSourceMappings", mapping(object{"ScalingConfig": nil})),
		"on-failure/none":         answer("lambda:GetFunctionEventInvokeConfig", absent),
		"contact-rule/disabled":   answer("events:DescribeRule", ruleOf(object{"State": "DISABLED"})),
		"contact-rule/other":      answer("events:DescribeRule", ruleOf(object{"EventPattern": strings.ReplaceAll(pattern, instance, callers)})),
		"contact-rule/source":     answer("events:DescribeRule", ruleOf(object{"EventPattern": `{"source":["aws.s3"]}`})),
		"contact-rule/filter":     answer("events:DescribeRule", ruleOf(object{"EventPattern": `{"source":[{"anything-but":["aws.s3"]}]}`})),
		"contact-rule/inbound":    answer("events:DescribeRule", ruleOf(object{"EventPattern": `{"detail":{"initiationMethod":["INBOUND"]}}`})),
		"contact-rule/channel":    answer("events:DescribeRule", ruleOf(object{"EventPattern": `{"detail":{"channel":["CHAT"]}}`})),
		"contact-target/none":     answer("events:ListTargetsByRule", object{"Targets": []object{{"Id": "1", "Arn": deadARN}}}),
		"sweep-schedule/slow":     answer("scheduler:GetSchedule", scheduleOf(object{"ScheduleExpression": "rate(5 minutes)"})),
		"sweep-schedule/disabled": answer("scheduler:GetSchedule", scheduleOf(object{"State": "DISABLED"})),
		"sweep-schedule/strange":  answer("scheduler:GetSchedule", scheduleOf(object{"ScheduleExpression": "cron(0 3 * * ? *)"})),
		"sweep-target/other":      answer("scheduler:GetSchedule", scheduleOf(object{"Target": object{"Arn": function + "-old"}})),
	}
}

func ledgerPlants() map[string]func(*world) {
	return map[string]func(*world){
		"table/absent":            answer("dynamodb:DescribeTable", absent),
		"table-ttl/on":            answer("dynamodb:DescribeTimeToLive", object{"TimeToLiveDescription": object{"TimeToLiveStatus": "ENABLED", "AttributeName": "x"}}),
		"table-key/range":         answer("dynamodb:DescribeTable", tableOf(object{"KeySchema": []object{{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}}})),
		"table-due/none":          answer("dynamodb:DescribeTable", tableOf(object{"GlobalSecondaryIndexes": []object{{"IndexName": "list"}}})),
		"table-replicas/eventual": answer("dynamodb:DescribeTable", tableOf(object{"Replicas": []object{{"RegionName": "us-west-2"}}, "MultiRegionConsistency": "EVENTUAL"})),
		"table-backup/off":        answer("dynamodb:DescribeContinuousBackups", pointInTime("DISABLED")),
		"table-protection/off":    answer("dynamodb:DescribeTable", tableOf(object{"DeletionProtectionEnabled": false})),
		"table-encryption/off":    answer("dynamodb:DescribeTable", tableOf(object{"SSEDescription": nil})),
		"heartbeat/old":           func(w *world) { w.subject.Now = w.subject.Now.Add(6 * time.Minute) },
		"identity/mode":           func(w *world) { w.books.Naming = call.Naming{Mode: call.IdentityHMAC, Secret: make([]byte, 32)} },
		"went-back/restored": func(w *world) {
			w.books.WentBack = func(context.Context) (string, error) { return "Its witness has seen 3 newer writes.", nil }
		},
		"do-not-call/key":   func(w *world) { w.holding.OtherKey = true },
		"paused/all":        func(w *world) { w.holding.Paused = []string{"every call"} },
		"recovery/open":     func(w *world) { must(w.ledger.BeginRecovery(context.Background(), call.Recovery{})) },
		"file-mode/open":    func(w *world) { w.disk.Modes["calls.db"] = 0o640 },
		"witness/none":      func(w *world) { w.disk.Present = false },
		"witness/inside":    func(w *world) { w.disk.Inside = true },
		"witness-disk/same": func(w *world) { w.disk.SameDisk = true },
		"disk-space/full":   func(w *world) { w.disk.Free = 1 << 20 },
		"spool/backlog":     func(w *world) { w.disk.Spooled = 2 },
		"overdue/due":       func(w *world) { w.accept(w.subject.Now.Add(-6 * time.Minute)) },
		"prefixes/refused":  func(w *world) { w.fail("destination_not_allowed") },
		"ledger/closed":     func(w *world) { must(w.ledger.Close()) },
		"no-ledger/token":   func(w *world) { w.subject.Driver, w.subject.Names.Table = "none", "" },
	}
}
