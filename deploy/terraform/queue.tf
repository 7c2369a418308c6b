# Queues, and who may send into them.

locals {
  function_timeout = 60                         # seconds. Below 17 nothing would ever be started (lambda.reserve and a second)
  visibility       = 6 * local.function_timeout # a message must not come back while its delivery is being worked on
  days             = 24 * 60 * 60
}

# Requests. Everything is delivered through here unless direct_delivery says otherwise, because the queue
#   - takes an answer for each record of a batch, so that one bad request does not bring nine good ones back,
#   - keeps what cannot be done, with its bytes, in the dead-letter queue, where `ringonce replay` reads it,
#   - remembers for days what a direct invocation forgets after 2 retries and 6 hours,
#   - and waits: no more functions run at once than Amazon Connect can use.
resource "aws_sqs_queue" "requests" {
  name                       = "${var.name}-requests"
  visibility_timeout_seconds = local.visibility
  message_retention_seconds  = 4 * local.days # less than the dead-letter queue's, whose clock does not start anew
  kms_master_key_id          = aws_kms_key.main.arn

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
    maxReceiveCount     = 10 # throttled invocations count too; 10 of them bridge an hour in which the ledger is away
  })

  lifecycle {
    prevent_destroy = true
  }
}

# What was given up: requests, and contact events. It must not be emptied without `ringonce replay --dry-run`.
resource "aws_sqs_queue" "dead_letter" {
  name                       = "${var.name}-dlq"
  visibility_timeout_seconds = local.visibility
  message_retention_seconds  = 14 * local.days # the most there is
  kms_master_key_id          = aws_kms_key.main.arn

  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns = [
      "arn:${local.partition}:sqs:${local.region}:${local.account_id}:${var.name}-requests",
      "arn:${local.partition}:sqs:${local.region}:${local.account_id}:${var.name}-contacts",
    ]
  })

  lifecycle {
    prevent_destroy = true
  }
}

# What never got to a queue or out of the function: failed asynchronous invocations, and what EventBridge or SNS could not deliver.
resource "aws_sqs_queue" "undelivered" {
  name                       = "${var.name}-undelivered"
  visibility_timeout_seconds = local.visibility
  message_retention_seconds  = 14 * local.days
  kms_master_key_id          = aws_kms_key.main.arn

  lifecycle {
    prevent_destroy = true
  }
}

# Contact events: what became of contacts. A queue of their own, so that they do not wait behind requests.
resource "aws_sqs_queue" "contacts" {
  name                       = "${var.name}-contacts"
  visibility_timeout_seconds = local.visibility
  message_retention_seconds  = 4 * local.days
  kms_master_key_id          = aws_kms_key.main.arn

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
    maxReceiveCount     = 10
  })
}

# Hints that a call is due. A hint holds a row id and a time; what is lost here the sweep finds. Hence no dead-letter queue, a short
# memory, and SQS's own encryption, so that the role of the schedules needs one permission.
resource "aws_sqs_queue" "wake" {
  count = var.wake_hints ? 1 : 0

  name                       = "${var.name}-wake"
  visibility_timeout_seconds = local.visibility
  message_retention_seconds  = 60 * 60
  sqs_managed_sse_enabled    = true
}

locals {
  queues = merge(
    {
      requests    = aws_sqs_queue.requests
      dead_letter = aws_sqs_queue.dead_letter
      undelivered = aws_sqs_queue.undelivered
      contacts    = aws_sqs_queue.contacts
    },
    { for name in ["wake"] : name => aws_sqs_queue.wake[0] if var.wake_hints },
  )

  # The ARN of the topic names its account too; SNS does not document that it sends the other key.
  from_topic = [for condition in [
    {
      ArnEquals            = { "aws:SourceArn" = var.topic_arn }
      StringEqualsIfExists = { "aws:SourceAccount" = element(split(":", var.topic_arn), 4) }
    },
  ] : { Sid = "FromTopic", Service = "sns.amazonaws.com", Condition = condition } if local.has_topic]

  from_events = [for rule in aws_cloudwatch_event_rule.requests : {
    Sid     = "FromEvents"
    Service = "events.amazonaws.com"
    Condition = {
      ArnEquals    = { "aws:SourceArn" = rule.arn }
      StringEquals = { "aws:SourceAccount" = local.account_id }
    }
  }]

  from_contact_events = [{
    Sid     = "FromContactEvents"
    Service = "events.amazonaws.com"
    Condition = {
      ArnEquals    = { "aws:SourceArn" = aws_cloudwatch_event_rule.contacts.arn }
      StringEquals = { "aws:SourceAccount" = local.account_id }
    }
  }]

  # Who may send into which queue, beside principals of this account with a permission of their own.
  senders = {
    requests    = [for sender in concat(local.from_topic, local.from_events) : sender if !var.direct_delivery]
    dead_letter = []
    undelivered = concat(local.from_contact_events, local.from_topic, local.from_events)
    contacts    = local.from_contact_events
    wake        = []
  }
}

resource "aws_sqs_queue_policy" "this" {
  for_each = local.queues

  queue_url = each.value.url

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [{
        Sid       = "NeverInClear"
        Effect    = "Deny"
        Principal = "*"
        Action    = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:ReceiveMessage", "sqs:SendMessage"]
        Resource  = each.value.arn
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      }],
      [for sender in local.senders[each.key] : {
        Sid       = sender.Sid
        Effect    = "Allow"
        Principal = { Service = sender.Service }
        Action    = "sqs:SendMessage"
        Resource  = each.value.arn
        Condition = sender.Condition
      }],
    )
  })
}
