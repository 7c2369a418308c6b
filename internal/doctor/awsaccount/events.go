package awsaccount

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

// Rule reads a rule (DescribeRule), without its targets.
func (a *Account) Rule(ctx context.Context, bus, name string) (doctor.Rule, error) {
	out, err := look(ctx, a, readRule, name, &eventbridge.DescribeRuleInput{Name: &name, EventBusName: &bus}, a.events.DescribeRule)
	if err != nil {
		return doctor.Rule{}, err
	}
	return doctor.Rule{Name: aws.ToString(out.Name), Bus: bus, Enabled: out.State != eventtypes.RuleStateDisabled, Pattern: aws.ToString(out.EventPattern)}, nil
}

// Targets reads the ARNs of a rule's targets (ListTargetsByRule).
func (a *Account) Targets(ctx context.Context, bus, name string) ([]string, error) {
	var arns []string
	in := &eventbridge.ListTargetsByRuleInput{Rule: &name, EventBusName: &bus}
	for {
		out, err := look(ctx, a, readTargets, name, in, a.events.ListTargetsByRule)
		if err != nil {
			return nil, err
		}
		for _, t := range out.Targets {
			arns = append(arns, aws.ToString(t.Arn))
		}
		if aws.ToString(out.NextToken) == "" {
			return arns, nil
		}
		in.NextToken = out.NextToken
	}
}

// Schedule reads a schedule (GetSchedule). Of the expressions, rates and the cron form of every minute are understood.
func (a *Account) Schedule(ctx context.Context, group, name string) (doctor.Schedule, error) {
	out, err := look(ctx, a, readSchedule, group+"/"+name, &scheduler.GetScheduleInput{Name: &name, GroupName: &group}, a.schedules.GetSchedule)
	if err != nil {
		return doctor.Schedule{}, err
	}
	s := doctor.Schedule{Name: aws.ToString(out.Name), Enabled: out.State == types.ScheduleStateEnabled}
	if out.Target != nil {
		s.Target = aws.ToString(out.Target.Arn)
	}
	expression := aws.ToString(out.ScheduleExpression)
	every, understood := period(expression)
	if s.Every = every; !understood {
		return s, &doctor.Unseen{Action: readSchedule.Action, Resource: group + "/" + name, Reason: "the expression " + strconv.Quote(expression) + " is not understood here"}
	}
	return s, nil
}

var rate = regexp.MustCompile(`^rate\(\s*([0-9]+)\s+(minute|hour|day)s?\s*\)$`)

// everyMinute is the schedule of cron that a rate of one minute stands for.
const everyMinute = "cron(* * * * ? *)"

func period(expression string) (time.Duration, bool) {
	if expression == everyMinute {
		return time.Minute, true
	}
	m := rate.FindStringSubmatch(expression)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[m[2]]
	return time.Duration(n) * unit, err == nil && n > 0
}
