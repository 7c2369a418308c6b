package deploytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/doctor"
)

// watched are the alarms that a deployment must have: what each looks at, and what it makes of silence.
var watched = []struct{ name, namespace, metric, dimension, missing string }{
	{"dlq", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=ringonce-dlq", "notBreaching"},
	{"undelivered", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=ringonce-undelivered", "notBreaching"},
	{"oldest-message", "AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName=ringonce-requests", "notBreaching"},
	{"in-doubt", "ringonce", "InDoubt", "Function=ringonce", "notBreaching"},
	{"refused", "ringonce", "Refused", "Function=ringonce", "notBreaching"},
	{"failed", "ringonce", "Calls", "Function=ringonce,State=failed", "notBreaching"},
	{"throttled", "ringonce", "Throttled", "Function=ringonce", "notBreaching"},
	{"conflict", "ringonce", "Conflict", "Function=ringonce", "notBreaching"},
	{"anomaly", "ringonce", "Anomaly", "Function=ringonce", "notBreaching"},
	{"new-country", "ringonce", "NewCountry", "Function=ringonce", "notBreaching"},
	{"setup-refused", "ringonce", "SetupRefused", "Function=ringonce", "notBreaching"},
	{"unavailable", "ringonce", "Unavailable", "Function=ringonce", "notBreaching"},
	{"no-sweep", "ringonce", "Sweeps", "Function=ringonce", "breaching"},
	{"errors", "AWS/Lambda", "Errors", "FunctionName=ringonce", "notBreaching"},
}

// happened are the alarms about what does not pass: that no more came for five minutes is no good news, and none is sent.
var happened = []string{"in-doubt", "refused", "failed", "conflict", "anomaly", "new-country"}

// longestDescription is what CloudWatch keeps of an alarm's description (PutMetricAlarm, AlarmDescription).
const longestDescription = 1024

// alarmProblems holds that every alarm is there, looks where it should, and says what to do first.
func alarmProblems(s *Stack) []string {
	var found []string
	for _, w := range watched {
		alarm := s.Resources["AWS::CloudWatch::Alarm ringonce-"+w.name]
		if alarm == nil {
			found = append(found, "alarm: there is no alarm "+w.name)
			continue
		}
		got := []string{alarm.text("Namespace"), alarm.text("MetricName"), alarm.dimension(), alarm.text("TreatMissingData")}
		if want := []string{w.namespace, w.metric, w.dimension, w.missing}; strings.Join(got, " ") != strings.Join(want, " ") {
			found = append(found, fmt.Sprintf("alarm: %s looks at %v, not at %v", w.name, got, want))
		}
		if once := slices.Contains(happened, w.name); once != (len(alarm.list("OKActions")) == 0) && len(alarm.list("AlarmActions")) > 0 {
			found = append(found, "alarm: "+w.name+" has the wrong word for its end")
		}
		down := w.name == "no-sweep"
		if down != (alarm.text("ComparisonOperator") == "LessThanThreshold") || alarm.number("EvaluationPeriods") < alarm.number("DatapointsToAlarm") {
			found = append(found, fmt.Sprintf("alarm: %s compares with %s", w.name, alarm.text("ComparisonOperator")))
		}
		if quiet := alarm.number("Period") * alarm.number("EvaluationPeriods"); down && seconds(quiet) >= doctor.Heartbeat {
			found = append(found, fmt.Sprintf("alarm: %s waits for %d seconds, and unfinished calls go back after %s", w.name, quiet, doctor.Heartbeat))
		}
	}
	for _, alarm := range s.of("AWS::CloudWatch::Alarm") {
		text := alarm.text("AlarmDescription")
		if what, step, ok := strings.Cut(text, "First step: "); !ok || len(what) < 40 || len(step) < 20 || len(text) > longestDescription {
			found = append(found, "alarm: "+alarm.text("AlarmName")+" does not say what happened and what to do first")
		}
	}
	return found
}

func (r *Resource) dimension() string {
	var list []string
	for _, member := range r.list("Dimensions") {
		list = append(list, fmt.Sprintf("%v=%v", walk(member, []string{"Name"}), walk(member, []string{"Value"})))
	}
	return strings.Join(list, ",")
}
