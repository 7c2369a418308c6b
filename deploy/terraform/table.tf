# The ledger: one item per call (docs/dynamodb.md). No time to live: a call that is forgotten rings again.

resource "aws_dynamodb_table" "calls" {
  name                        = "${var.name}-calls"
  billing_mode                = "PAY_PER_REQUEST"
  deletion_protection_enabled = true
  hash_key                    = "pk"

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = aws_kms_key.main.arn
  }

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "q"
    type = "S"
  }

  attribute {
    name = "t"
    type = "N"
  }

  attribute {
    name = "k"
    type = "S"
  }

  attribute {
    name = "r"
    type = "S"
  }

  attribute {
    name = "g"
    type = "S"
  }

  attribute {
    name = "c"
    type = "N"
  }

  # What the sweep must look at; the only one that is required.
  global_secondary_index {
    name            = "due"
    hash_key        = "q"
    range_key       = "t"
    projection_type = "KEYS_ONLY"
  }

  # From a contact event to its call.
  global_secondary_index {
    name            = "contact"
    hash_key        = "k"
    range_key       = "c"
    projection_type = "KEYS_ONLY"
  }

  # History and forgetting of a person.
  global_secondary_index {
    name            = "recipient"
    hash_key        = "r"
    range_key       = "c"
    projection_type = "KEYS_ONLY"
  }

  # Beyond some 300 new calls a second leave it out.
  global_secondary_index {
    name               = "list"
    hash_key           = "g"
    range_key          = "c"
    projection_type    = "INCLUDE"
    non_key_attributes = ["l"]
  }

  lifecycle {
    prevent_destroy = true
  }
}
