# Alarms; docs/deploy.md has the table for the night. Each description says what happened, what is safe, and the first step.

locals {
  alarm_actions = var.alarm_topic_arn == "" ? [] : [var.alarm_topic_arn]

  alarms = {
    dlq = {
      description = "Messages were given up after 10 tries and lie in the dead-letter queue. They will not ring by themselves and are kept for 14 days. First step: ringonce replay --queue URL --dry-run says for each what would ring; do not purge or redrive before you have read it."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = "${var.name}-dlq" }
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 60
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    "in-doubt" = {
      description = "A call may have rung and no evidence decides it. It will not ring again by itself. First step: ringonce doubt list, then ringonce doubt show ID: it says what would decide it and when that is looked for next (docs/doubts.md). If the matter cannot wait, ring the person by hand."
      namespace   = "ringonce"
      metric      = "InDoubt"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    "oldest-message" = {
      description = "A request has waited for more than 15 minutes. Requests are safe for 4 days, but late. First step: look which of the alarms throttled, unavailable, setup-refused and errors is on and follow it; if none is, see whether ReservedConcurrency is 0 or more arrives than Amazon Connect may dial."
      namespace   = "AWS/SQS"
      metric      = "ApproximateAgeOfOldestMessage"
      dimensions  = { QueueName = "${var.name}-requests" }
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 900
      period      = 60
      evaluations = 5
      datapoints  = 5
      missing     = "notBreaching"
    }
    refused = {
      description = "ringonce itself refused requests, and they will not ring: a field, profile or time that cannot be, or a number that AllowedDestinations does not permit. First step: in the log of the function find the lines whose msg is refused; code and reason say what is wrong. Tell the producer; send a corrected request under a new id."
      namespace   = "ringonce"
      metric      = "Refused"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    failed = {
      description = "Calls ended without a ring: Amazon Connect refused them for good, or their tries ran out. Their deliveries were acknowledged, so nothing comes back by itself. First step: ringonce calls list --state failed, and calls show ID for the code. destination_not_allowed: ask AWS to open the country. After the repair ring again with ringonce calls recall."
      namespace   = "ringonce"
      metric      = "Calls"
      dimensions  = { Function = var.name, State = "failed" }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    throttled = {
      description = "Amazon Connect has turned calls away for their rate for 15 minutes. Nothing is lost, calls are late. First step: compare PerSecond x MaximumConcurrency with the quota of StartOutboundVoiceContact, and see whether somebody else dials on this instance. Then lower PerSecond or ask AWS for more."
      namespace   = "ringonce"
      metric      = "Throttled"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 30
      period      = 300
      evaluations = 3
      datapoints  = 3
      missing     = "notBreaching"
    }
    conflict = {
      description = "Two different requests came under one key. The first one counts; the second did not ring. First step: in the log find the lines with the code conflict; they name the call and the source. Ask the producer whether an id was used twice or an attribute changes with every send."
      namespace   = "ringonce"
      metric      = "Conflict"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    anomaly = {
      description = "Something happened that must not: two contacts for one call, or a row that breaks a rule. A phone may have rung twice. First step: in the log find the lines whose msg is anomaly or breach. If there are more and more, set ReservedConcurrency to 0: everything stops, and what waits is kept."
      namespace   = "ringonce"
      metric      = "Anomaly"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    "new-country" = {
      description = "A country was rung that nobody has rung before with this ledger, which is how toll fraud begins. First step: the line of the log whose msg is new-country names the country and the call; if nobody meant it, run ringonce pause --prefix with its calling code and take it out of the allowed destinations."
      namespace   = "ringonce"
      metric      = "NewCountry"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    "setup-refused" = {
      description = "Amazon Connect refuses the set-up: permission, instance, flow, queue or caller id. The profile is paused, nothing rings and nothing is lost. First step: run ringonce doctor; the line of the log whose msg is paused has the reason of Amazon Connect."
      namespace   = "ringonce"
      metric      = "SetupRefused"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    unavailable = {
      description = "The ledger did not answer. Nothing is dialed that it does not know, so calls are late and requests wait in the queue. First step: is the KMS key of the table enabled, does the table exist, does the AWS Health Dashboard name DynamoDB? The log has the error."
      namespace   = "ringonce"
      metric      = "Unavailable"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 5
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    "no-sweep" = {
      description = "No sweep ran for 3 minutes. Held calls, lost answers and re-calls stand still; after 5 minutes unfinished calls go back to their queue. First step: is the schedule enabled, does the log show errors, is ReservedConcurrency 0? ringonce doctor shows the last sweep."
      namespace   = "ringonce"
      metric      = "Sweeps"
      dimensions  = { Function = var.name }
      statistic   = "Sum"
      comparison  = "LessThanThreshold"
      threshold   = 1
      period      = 60
      evaluations = 3
      datapoints  = 3
      missing     = "breaching"
    }
    undelivered = {
      description = "Events did not get to a queue, or failed in the function for good. Kept for 14 days. First step: ringonce replay --queue URL --dry-run says for each what would ring. Failed sweeps and hints are ignored there: a replay deletes them and acts on none."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = "${var.name}-undelivered" }
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 60
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
    errors = {
      description = "The function ends with errors in 3 of 5 minutes: it does not start, runs out of time, or cannot sweep. What it was given comes back. First step: read the last lines of its log; start refused names the setting that is wrong. After a deployment: deploy the version before."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = var.name }
      statistic   = "Sum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      period      = 60
      evaluations = 5
      datapoints  = 3
      missing     = "notBreaching"
    }
  }

  # Each of these is about something that has happened and does not pass: silence afterwards is no good news, so none is sent.
  happened = ["in-doubt", "refused", "failed", "conflict", "anomaly", "new-country"]

  # Only with hints.
  wake_alarm = {
    wake = {
      description = "Hints are not taken. Nothing is lost: the sweep finds held calls too, up to a minute late. First step: look at the event source mapping of the wake queue, then at the errors alarm. It can wait for the morning."
      namespace   = "AWS/SQS"
      metric      = "ApproximateAgeOfOldestMessage"
      dimensions  = { QueueName = "${var.name}-wake" }
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 1800
      period      = 300
      evaluations = 1
      datapoints  = 1
      missing     = "notBreaching"
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = merge(local.alarms, { for name, alarm in local.wake_alarm : name => alarm if var.wake_hints })

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  namespace           = each.value.namespace
  metric_name         = each.value.metric
  dimensions          = each.value.dimensions
  statistic           = each.value.statistic
  comparison_operator = each.value.comparison
  threshold           = each.value.threshold
  period              = each.value.period
  evaluation_periods  = each.value.evaluations
  datapoints_to_alarm = each.value.datapoints
  treat_missing_data  = each.value.missing
  alarm_actions       = local.alarm_actions
  ok_actions          = contains(local.happened, each.key) ? [] : local.alarm_actions
}
