# The function, and what invokes it from queues.

locals {
  package = var.package != "" ? var.package : "${path.module}/../../dist/ringonce-lambda-${var.architecture == "arm64" ? "arm64" : "amd64"}.zip"

  instance_region = var.instance_region != "" ? var.instance_region : local.region

  # docs/configuration.md. Optional parts are written only when their variable is set.
  config = join("\n", concat(
    [
      "ledger:",
      "  driver: dynamodb",
      "  table: ${var.name}-calls",
    ],
    [for key in aws_kms_key.field : "  kms_key: ${key.arn}"],
    [
      "default_profile: ${var.profile_name}",
      "profiles:",
      "  ${var.profile_name}:",
      "    region: ${local.instance_region}",
      "    instance_id: ${var.instance_id}",
      "    contact_flow_id: ${var.contact_flow_id}",
    ],
    [for id in [var.queue_id] : "    queue_id: ${id}" if id != ""],
    [for phone in [var.source_phone] : "    source_phone: \"${phone}\"" if phone != ""],
    [
      "    window: ${var.window}",
      "    resend: ${var.resend}",
      "pacing:",
      "  per_second: ${var.per_second}",
      "  burst: ${var.burst}",
      "destinations:",
      "  allow: \"${var.allowed_destinations}\"",
    ],
    [for arn in [var.identity_key_secret_arn] : "identity:\n  mode: hmac\n  key_secret: ${arn}" if local.has_identity_key],
    [for queue in aws_sqs_queue.wake : join("\n", [
      "wake:",
      "  queue_url: ${queue.url}",
      "  queue_arn: ${queue.arn}",
      "  schedule_group: ${aws_scheduler_schedule_group.hints[0].name}",
      "  role_arn: ${aws_iam_role.hints[0].arn}",
    ])],
    [""],
  ))
}

resource "aws_cloudwatch_log_group" "function" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log_retention_days
}

resource "aws_lambda_function" "this" {
  function_name                  = var.name
  filename                       = local.package
  source_code_hash               = filebase64sha256(local.package)
  runtime                        = "provided.al2023"
  handler                        = "bootstrap"
  architectures                  = [var.architecture]
  role                           = aws_iam_role.dialer.arn
  timeout                        = local.function_timeout
  memory_size                    = 256
  reserved_concurrent_executions = var.reserved_concurrency

  environment {
    variables = {
      RINGONCE_CONFIG = local.config
    }
  }

  tracing_config {
    mode = "Active"
  }

  logging_config {
    log_format = "Text"
    log_group  = aws_cloudwatch_log_group.function.name
  }

  depends_on = [aws_iam_role_policy.dialer]
}

# A hint goes from the function through the wake queue to the function, once for each wait of a call. Lambda takes more than 16 in a row for a
# loop and drops them; these end with their call.
resource "aws_lambda_function_recursion_config" "this" {
  function_name  = aws_lambda_function.this.function_name
  recursive_loop = "Allow"
}

# Of asynchronous invocations only: the sweep, and everything with direct_delivery. The figures are Lambda's own and the most there is.
resource "aws_lambda_function_event_invoke_config" "this" {
  function_name                = aws_lambda_function.this.function_name
  qualifier                    = "$LATEST"
  maximum_event_age_in_seconds = 21600
  maximum_retry_attempts       = 2

  destination_config {
    on_failure {
      destination = aws_sqs_queue.undelivered.arn
    }
  }
}

resource "aws_lambda_event_source_mapping" "requests" {
  event_source_arn                   = aws_sqs_queue.requests.arn
  function_name                      = aws_lambda_function.this.function_name
  enabled                            = true
  batch_size                         = 10
  maximum_batching_window_in_seconds = 0
  function_response_types            = ["ReportBatchItemFailures"] # without it the answers are not read, and what must come back is deleted

  scaling_config {
    maximum_concurrency = var.maximum_concurrency
  }
}

resource "aws_lambda_event_source_mapping" "contacts" {
  event_source_arn                   = aws_sqs_queue.contacts.arn
  function_name                      = aws_lambda_function.this.function_name
  enabled                            = true
  batch_size                         = 10
  maximum_batching_window_in_seconds = 0
  function_response_types            = ["ReportBatchItemFailures"]

  scaling_config {
    maximum_concurrency = 2
  }
}

resource "aws_lambda_event_source_mapping" "wake" {
  count = var.wake_hints ? 1 : 0

  event_source_arn                   = aws_sqs_queue.wake[0].arn
  function_name                      = aws_lambda_function.this.function_name
  enabled                            = true
  batch_size                         = 10
  maximum_batching_window_in_seconds = 0
  function_response_types            = ["ReportBatchItemFailures"]

  scaling_config {
    maximum_concurrency = 2
  }
}
