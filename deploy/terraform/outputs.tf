output "request_queue_url" {
  description = "Where producers send requests."
  value       = aws_sqs_queue.requests.url
}

output "request_queue_arn" {
  description = "For the permission of producers to sqs:SendMessage."
  value       = aws_sqs_queue.requests.arn
}

output "dead_letter_queue_url" {
  description = "What was given up; ringonce replay --queue reads it."
  value       = aws_sqs_queue.dead_letter.url
}

output "undelivered_queue_url" {
  description = "What never arrived; ringonce replay --queue reads it."
  value       = aws_sqs_queue.undelivered.url
}

output "key_arn" {
  description = "The key of table and queues; producers need kms:Decrypt and kms:GenerateDataKey on it."
  value       = aws_kms_key.main.arn
}

output "function_name" {
  description = "The function."
  value       = aws_lambda_function.this.function_name
}

output "dialer_role_arn" {
  description = "The one principal that may ring; deploy/policies needs it."
  value       = aws_iam_role.dialer.arn
}

output "table_name" {
  description = "The ledger."
  value       = aws_dynamodb_table.calls.name
}
