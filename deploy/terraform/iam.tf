# Who may do what.

locals {
  instance_arn = "arn:${local.partition}:connect:${local.instance_region}:${local.account_id}:instance/${var.instance_id}"
}

# The one role that may ring. organization.tf denies the call to every other principal.
resource "aws_iam_role" "dialer" {
  name        = "${var.name}-dialer"
  description = "The function that rings phones."

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
}

resource "aws_iam_role_policy" "dialer" {
  name = "dialer"
  role = aws_iam_role.dialer.name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid      = "Ring"
          Effect   = "Allow"
          Action   = "connect:StartOutboundVoiceContact"
          Resource = "${local.instance_arn}/contact/*"
        },
        {
          Sid      = "LookAtContacts"
          Effect   = "Allow"
          Action   = "connect:DescribeContact"
          Resource = "${local.instance_arn}/contact/*"
        },
        {
          Sid      = "SearchForContacts"
          Effect   = "Allow"
          Action   = "connect:SearchContacts"
          Resource = local.instance_arn
        },
        {
          Sid      = "HangUpWhatWasCanceled"
          Effect   = "Allow"
          Action   = "connect:StopContact"
          Resource = "${local.instance_arn}/contact/*"
        },
        {
          Sid    = "RememberCalls"
          Effect = "Allow"
          Action = [
            "dynamodb:BatchGetItem",
            "dynamodb:DescribeTable",
            "dynamodb:GetItem",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
          ]
          Resource = aws_dynamodb_table.calls.arn
        },
        {
          Sid    = "FindCalls"
          Effect = "Allow"
          Action = "dynamodb:Query"
          Resource = [
            "${aws_dynamodb_table.calls.arn}/index/contact",
            "${aws_dynamodb_table.calls.arn}/index/due",
            "${aws_dynamodb_table.calls.arn}/index/list",
            "${aws_dynamodb_table.calls.arn}/index/recipient",
          ]
        },
        {
          Sid    = "NeverForget"
          Effect = "Deny"
          Action = [
            "dynamodb:BatchWriteItem",
            "dynamodb:DeleteItem",
            "dynamodb:DeleteTable",
            "dynamodb:Scan",
            "dynamodb:UpdateTimeToLive",
          ]
          Resource = [aws_dynamodb_table.calls.arn, "${aws_dynamodb_table.calls.arn}/index/*"]
        },
        {
          Sid       = "UseKeyThroughTableAndQueues"
          Effect    = "Allow"
          Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
          Resource  = aws_kms_key.main.arn
          Condition = local.through_table_and_queues
        },
        {
          Sid    = "TakeMessages"
          Effect = "Allow"
          Action = [
            "sqs:ChangeMessageVisibility",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
            "sqs:ReceiveMessage",
          ]
          Resource = concat([aws_sqs_queue.requests.arn, aws_sqs_queue.contacts.arn], aws_sqs_queue.wake[*].arn)
        },
        {
          Sid      = "KeepWhatFailed"
          Effect   = "Allow"
          Action   = "sqs:SendMessage"
          Resource = aws_sqs_queue.undelivered.arn
        },
        {
          Sid      = "Log"
          Effect   = "Allow"
          Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
          Resource = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/${var.name}:*"
        },
        {
          Sid      = "Trace" # X-Ray knows no resources for these
          Effect   = "Allow"
          Action   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
          Resource = "*"
        },
      ],
      [for queue in aws_sqs_queue.wake : {
        Sid      = "HintSoon"
        Effect   = "Allow"
        Action   = "sqs:SendMessage"
        Resource = queue.arn
      }],
      [for group in aws_scheduler_schedule_group.hints : {
        Sid      = "HintLater"
        Effect   = "Allow"
        Action   = "scheduler:CreateSchedule"
        Resource = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:schedule/${group.name}/ringonce-*"
      }],
      [for role in aws_iam_role.hints : {
        Sid       = "LendHintRole"
        Effect    = "Allow"
        Action    = "iam:PassRole"
        Resource  = role.arn
        Condition = { StringEquals = { "iam:PassedToService" = "scheduler.amazonaws.com" } }
      }],
      [for key in aws_kms_key.field : {
        Sid      = "EncryptCalls"
        Effect   = "Allow"
        Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
        Resource = key.arn
        Condition = {
          StringEquals = {
            "kms:EncryptionContext:ringonce-purpose" = "ledger"
            "kms:EncryptionContext:ringonce-table"   = "${var.name}-calls"
          }
        }
      }],
      [for arn in [var.identity_key_secret_arn] : {
        Sid      = "ReadIdentityKey"
        Effect   = "Allow"
        Action   = "secretsmanager:GetSecretValue"
        Resource = arn
      } if local.has_identity_key],
    )
  })
}

resource "aws_iam_role" "sweep" {
  name        = "${var.name}-sweep"
  description = "EventBridge Scheduler, to start the sweep."

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "scheduler.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = {
          "aws:SourceAccount" = local.account_id
          "aws:SourceArn"     = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:schedule-group/default"
        }
      }
    }]
  })
}

resource "aws_iam_role_policy" "sweep" {
  name = "sweep"
  role = aws_iam_role.sweep.name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid      = "StartSweep"
      Effect   = "Allow"
      Action   = "lambda:InvokeFunction"
      Resource = aws_lambda_function.this.arn
    }]
  })
}

resource "aws_iam_role" "hints" {
  count = var.wake_hints ? 1 : 0

  name        = "${var.name}-hints"
  description = "EventBridge Scheduler, to send hints that are due."

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "scheduler.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = {
          "aws:SourceAccount" = local.account_id
          "aws:SourceArn"     = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:schedule-group/${var.name}-hints"
        }
      }
    }]
  })
}

resource "aws_iam_role_policy" "hints" {
  count = var.wake_hints ? 1 : 0

  name = "hints"
  role = aws_iam_role.hints[0].name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid      = "SendHints"
      Effect   = "Allow"
      Action   = "sqs:SendMessage"
      Resource = aws_sqs_queue.wake[0].arn
    }]
  })
}
