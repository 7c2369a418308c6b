# A second way to the telephone voids the promise that a request rings once: deny the call to everybody but the dialer. Off unless
# organization_target_id is set, because it needs the organization's management account; docs/deploy.md has other ways to attach the document.

resource "aws_organizations_policy" "deny_other_dialers" {
  count = var.organization_target_id == "" ? 0 : 1

  name        = "${var.name}-deny-other-dialers"
  description = "Only ${aws_iam_role.dialer.arn} may ring on this Amazon Connect instance."
  type        = "SERVICE_CONTROL_POLICY"

  content = templatefile("${path.module}/../policies/deny-other-dialers.json", {
    INSTANCE_ARN      = local.instance_arn
    DIALER_ROLE_ARN   = aws_iam_role.dialer.arn
    OPERATOR_ROLE_ARN = var.operator_role_arn != "" ? var.operator_role_arn : aws_iam_role.dialer.arn
  })
}

resource "aws_organizations_policy_attachment" "deny_other_dialers" {
  count = var.organization_target_id == "" ? 0 : 1

  policy_id = aws_organizations_policy.deny_other_dialers[0].id
  target_id = var.organization_target_id
}
