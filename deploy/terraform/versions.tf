# ringonce on AWS: queue, function, ledger, sweep, alarms. docs/deploy.md explains it step by step; deploy/sam makes the same.
#
#   make lambda
#   terraform -chdir=deploy/terraform init
#   terraform -chdir=deploy/terraform apply -var instance_id=... -var contact_flow_id=... -var queue_id=... -var allowed_destinations=JP,US
#
# As a module of yours, which also names the provider:
#
#   module "ringonce" {
#     source          = "./ringonce/deploy/terraform"
#     instance_id     = "11111111-2222-4333-8444-555555555555"
#     contact_flow_id = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
#     queue_id        = "bbbbbbbb-cccc-4ddd-8eee-ffffffffffff"
#
#     allowed_destinations = "JP,US,+4420"
#   }
#
# internal/deploytest reads these files and the SAM form, and holds that both make the same resources and that their figures fit together.

terraform {
  required_version = ">= 1.5, < 2.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
  }
}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

# Its attribute name is deprecated in version 6 of the provider; id stays.
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  dns_suffix = data.aws_partition.current.dns_suffix
  region     = data.aws_region.current.id

  has_topic        = var.topic_arn != ""
  has_events       = var.event_source != ""
  has_field_key    = var.encrypt_calls
  has_identity_key = var.identity_key_secret_arn != ""
}
