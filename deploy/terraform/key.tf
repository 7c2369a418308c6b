# Keys. Losing one loses the memory of every call, so Terraform refuses to destroy them.

locals {
  account_root = "arn:${local.partition}:iam::${local.account_id}:root"

  key_administration = {
    Sid       = "Administer"
    Effect    = "Allow"
    Principal = { AWS = local.account_root }
    Action = [
      "kms:CancelKeyDeletion",
      "kms:CreateAlias",
      "kms:DeleteAlias",
      "kms:DescribeKey",
      "kms:DisableKey",
      "kms:DisableKeyRotation",
      "kms:EnableKey",
      "kms:EnableKeyRotation",
      "kms:GetKeyPolicy",
      "kms:GetKeyRotationStatus",
      "kms:ListGrants",
      "kms:ListKeyPolicies",
      "kms:ListKeyRotations",
      "kms:ListResourceTags",
      "kms:PutKeyPolicy",
      "kms:RevokeGrant",
      "kms:RotateKeyOnDemand",
      "kms:ScheduleKeyDeletion",
      "kms:TagResource",
      "kms:UntagResource",
      "kms:UpdateAlias",
      "kms:UpdateKeyDescription",
    ]
    Resource = "*"
  }

  through_table_and_queues = {
    StringEquals = {
      "kms:ViaService" = ["dynamodb.${local.region}.${local.dns_suffix}", "sqs.${local.region}.${local.dns_suffix}"]
    }
  }
}

# The key of table and queues. Its users need permission of their own in IAM.
resource "aws_kms_key" "main" {
  description             = "${var.name}: table and queues"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [
        local.key_administration,
        {
          Sid       = "UseThroughTableAndQueues"
          Effect    = "Allow"
          Principal = { AWS = local.account_root }
          Action = [
            "kms:CreateGrant",
            "kms:Decrypt",
            "kms:DescribeKey",
            "kms:Encrypt",
            "kms:GenerateDataKey",
            "kms:GenerateDataKeyWithoutPlaintext",
            "kms:ReEncryptFrom",
            "kms:ReEncryptTo",
          ]
          Resource  = "*"
          Condition = local.through_table_and_queues
        },
        {
          Sid       = "EventsIntoQueues"
          Effect    = "Allow"
          Principal = { Service = "events.amazonaws.com" }
          Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
          Resource  = "*"
          Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
        },
      ],
      [for statement in [
        {
          Sid       = "TopicIntoQueues"
          Effect    = "Allow"
          Principal = { Service = "sns.amazonaws.com" }
          Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
          Resource  = "*"
          Condition = { ArnEquals = { "aws:SourceArn" = var.topic_arn } }
        },
      ] : statement if local.has_topic],
    )
  })

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_alias" "main" {
  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.main.key_id
}

# The key of the rows' own encryption (ledger.kms_key). Whoever may read the table but not use this key sees no number.
resource "aws_kms_key" "field" {
  count = local.has_field_key ? 1 : 0

  description             = "${var.name}: numbers and attributes of calls"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      local.key_administration,
      {
        Sid       = "UseByPermission"
        Effect    = "Allow"
        Principal = { AWS = local.account_root }
        Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
        Resource  = "*"
      },
    ]
  })

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_alias" "field" {
  count = local.has_field_key ? 1 : 0

  name          = "alias/${var.name}-calls"
  target_key_id = aws_kms_key.field[0].key_id
}
