# Other ways in: a topic, events, and what Amazon Connect tells of its contacts.

resource "aws_sns_topic_subscription" "requests" {
  count = local.has_topic && !var.direct_delivery ? 1 : 0

  topic_arn            = var.topic_arn
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.requests.arn
  raw_message_delivery = var.raw_message_delivery
  redrive_policy       = jsonencode({ deadLetterTargetArn = aws_sqs_queue.undelivered.arn })
}

resource "aws_sns_topic_subscription" "direct" {
  count = local.has_topic && var.direct_delivery ? 1 : 0

  topic_arn      = var.topic_arn
  protocol       = "lambda"
  endpoint       = aws_lambda_function.this.arn
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.undelivered.arn })
}

resource "aws_lambda_permission" "topic" {
  count = local.has_topic && var.direct_delivery ? 1 : 0

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.this.function_name
  principal     = "sns.amazonaws.com"
  source_arn    = var.topic_arn
}

resource "aws_cloudwatch_event_rule" "requests" {
  count = local.has_events ? 1 : 0

  name           = "${var.name}-requests"
  description    = "Events that are requests."
  event_bus_name = var.event_bus_name
  state          = "ENABLED"

  event_pattern = jsonencode({
    source      = [var.event_source]
    detail-type = [var.event_detail_type]
  })
}

resource "aws_cloudwatch_event_target" "requests" {
  count = local.has_events ? 1 : 0

  rule           = aws_cloudwatch_event_rule.requests[0].name
  event_bus_name = var.event_bus_name
  target_id      = "ringonce"
  arn            = var.direct_delivery ? aws_lambda_function.this.arn : aws_sqs_queue.requests.arn

  dead_letter_config {
    arn = aws_sqs_queue.undelivered.arn
  }

  retry_policy {
    maximum_event_age_in_seconds = 86400
    maximum_retry_attempts       = 185
  }
}

resource "aws_lambda_permission" "events" {
  count = local.has_events && var.direct_delivery ? 1 : 0

  action         = "lambda:InvokeFunction"
  function_name  = aws_lambda_function.this.function_name
  principal      = "events.amazonaws.com"
  source_arn     = aws_cloudwatch_event_rule.requests[0].arn
  source_account = local.account_id
}

# Flows of this instance and of no other: whoever may invoke the function so may say that a call was answered or confirmed.
resource "aws_lambda_permission" "flows" {
  count = var.flow_check_in ? 1 : 0

  action         = "lambda:InvokeFunction"
  function_name  = aws_lambda_function.this.function_name
  principal      = "connect.amazonaws.com"
  source_arn     = local.instance_arn
  source_account = local.account_id
}

# What became of the contacts of this instance that an API began: evidence for attempts whose answer was lost. The instance is found by the
# end of its ARN, because Amazon Connect's own samples print its beginning in two ways.
resource "aws_cloudwatch_event_rule" "contacts" {
  name           = "${var.name}-contacts"
  description    = "Contact events of the instance, as evidence."
  event_bus_name = "default"
  state          = "ENABLED"

  event_pattern = jsonencode({
    source      = ["aws.connect"]
    detail-type = ["Amazon Connect Contact Event"]
    detail = {
      instanceArn      = [{ suffix = ":instance/${var.instance_id}" }]
      initiationMethod = ["API"]
    }
  })
}

resource "aws_cloudwatch_event_target" "contacts" {
  rule           = aws_cloudwatch_event_rule.contacts.name
  event_bus_name = "default"
  target_id      = "ringonce"
  arn            = aws_sqs_queue.contacts.arn

  dead_letter_config {
    arn = aws_sqs_queue.undelivered.arn
  }

  retry_policy {
    maximum_event_age_in_seconds = 86400
    maximum_retry_attempts       = 185
  }
}
