# Sweep and hints.

# Moves on what is due, every minute: lost answers, held calls, re-calls. Two retries: the next sweep is never far.
resource "aws_scheduler_schedule" "sweep" {
  name                = "${var.name}-sweep"
  group_name          = "default"
  description         = "Starts the sweep, which moves due calls on."
  state               = "ENABLED"
  schedule_expression = "rate(1 minute)"

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_lambda_function.this.arn
    role_arn = aws_iam_role.sweep.arn
    input    = "{\"ringonce\":\"sweep\"}"

    retry_policy {
      maximum_event_age_in_seconds = 120
      maximum_retry_attempts       = 2
    }
  }
}

resource "aws_scheduler_schedule_group" "hints" {
  count = var.wake_hints ? 1 : 0

  name = "${var.name}-hints"
}
