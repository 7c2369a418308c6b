# The same parameters as those of the SAM form, in snake case; the last two have no counterpart there.

variable "name" {
  description = "Name of the function, and the beginning of the name of every resource."
  type        = string
  default     = "ringonce"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,31}$", var.name))
    error_message = "Use 2 to 32 of a to z, 0 to 9 and -, beginning with a letter."
  }
}

variable "instance_id" {
  description = "The Amazon Connect instance, a GUID and not an ARN."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", var.instance_id))
    error_message = "Use the GUID behind instance/ in the instance's ARN."
  }
}

variable "instance_region" {
  description = "The Region of the instance; empty means the Region of the stack, the only one where its contact events are seen."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$", var.instance_region))
    error_message = "Use a Region such as ap-northeast-1, or leave it empty."
  }
}

variable "contact_flow_id" {
  description = "The published flow that speaks, a GUID and not an ARN."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", var.contact_flow_id))
    error_message = "Use the GUID behind contact-flow/ in the flow's ARN."
  }
}

variable "queue_id" {
  description = "The queue of Amazon Connect that sets the caller id, a GUID; needed unless SourcePhone is set or the flow sets a queue."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", var.queue_id))
    error_message = "Use the GUID behind queue/ in the queue's ARN, or leave it empty."
  }
}

variable "source_phone" {
  description = "The caller id, an E.164 number of the instance; empty means that of the queue."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^\\+[1-9][0-9]{1,14}$", var.source_phone))
    error_message = "Use a number such as +12025550100, or leave it empty."
  }
}

variable "allowed_destinations" {
  description = "Which numbers may be rung, and no others; regions and prefixes with commas between, such as JP,US,+4420. Premium, satellite and other special numbers in them are refused."
  type        = string

  validation {
    condition     = can(regex("^([A-Z]{2}|\\+[1-9][0-9]{0,14})(,([A-Z]{2}|\\+[1-9][0-9]{0,14}))*$", var.allowed_destinations))
    error_message = "Use regions such as JP and prefixes such as +4420, with commas between."
  }
}

variable "flow_check_in" {
  description = "Whether flows of the instance may invoke the function, to ask whether a call is still wanted and to report key presses (docs/flow.md)."
  type        = bool
  default     = false
}

variable "profile_name" {
  description = "Name of the dialing profile; a request may name it."
  type        = string
  default     = "alert"

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9_-]{0,63}$", var.profile_name))
    error_message = "Use letters, digits, - and _, beginning with a letter."
  }
}

variable "window" {
  description = "How long a placed call suppresses its key, such as 12h or 30d; forever means that a key rings once and never again."
  type        = string
  default     = "forever"

  validation {
    condition     = can(regex("^(forever|[1-9][0-9]*[mhd])$", var.window))
    error_message = "Use a span such as 90m, 12h or 30d, or forever."
  }
}

variable "resend" {
  description = "What happens to an attempt whose answer was lost (docs/protocol.md section 5)."
  type        = string
  default     = "token"

  validation {
    condition     = contains(["token", "evidence", "never"], var.resend)
    error_message = "Use token, evidence or never."
  }
}

variable "per_second" {
  description = "Dials a second of one running function. With MaximumConcurrency it should stay within the quota of StartOutboundVoiceContact (2 a second)."
  type        = number
  default     = 1

  validation {
    condition     = var.per_second >= 0.01 && var.per_second <= 10000
    error_message = "Use 0.01 to 10000."
  }
}

variable "burst" {
  description = "Dials at once of one running function. With MaximumConcurrency it should stay within the quota (5)."
  type        = number
  default     = 2

  validation {
    condition     = var.burst >= 1 && var.burst <= 10000
    error_message = "Use 1 to 10000."
  }
}

variable "topic_arn" {
  description = "An SNS topic of this Region whose messages are requests; empty means none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$", var.topic_arn))
    error_message = "Use the ARN of a topic, or leave it empty."
  }
}

variable "raw_message_delivery" {
  description = "Whether the topic delivers without its envelope. The envelope tells how old a request is, so leave it on."
  type        = bool
  default     = false
}

variable "event_source" {
  description = "The source of EventBridge events that are requests; empty means none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^[A-Za-z0-9._/-]{1,256}$", var.event_source))
    error_message = "Use a source such as com.example.orders, or leave it empty."
  }
}

variable "event_detail_type" {
  description = "The detail-type of these events."
  type        = string
  default     = "CallRequested"

  validation {
    condition     = can(regex("^[A-Za-z0-9 ._/-]{1,128}$", var.event_detail_type))
    error_message = "Use 1 to 128 of letters, digits, spaces and . _ / -."
  }
}

variable "event_bus_name" {
  description = "The event bus of these events."
  type        = string
  default     = "default"

  validation {
    condition     = can(regex("^[A-Za-z0-9._/-]{1,256}$", var.event_bus_name))
    error_message = "Use the name of a bus, not its ARN."
  }
}

variable "direct_delivery" {
  description = "Whether topic and events invoke the function without the queue. Lambda then gives up after 2 retries and 6 hours, and nothing paces it."
  type        = bool
  default     = false
}

variable "architecture" {
  description = "Instruction set of the function; in the SAM form x86_64 needs another CodeUri too (docs/deploy.md)."
  type        = string
  default     = "arm64"

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "Use arm64 or x86_64."
  }
}

variable "maximum_concurrency" {
  description = "How many functions work on the queue at once. Small, because Amazon Connect takes 2 calls a second; more would only be throttled."
  type        = number
  default     = 2

  validation {
    condition     = var.maximum_concurrency >= 2 && var.maximum_concurrency <= 1000
    error_message = "Use 2 to 1000."
  }
}

variable "reserved_concurrency" {
  description = "Concurrency that is kept for this function; -1 means none is. 0 stops everything at once; requests wait, at last in the dead-letter queue."
  type        = number
  default     = -1

  validation {
    condition     = var.reserved_concurrency >= -1 && var.reserved_concurrency <= 1000
    error_message = "Use -1 to 1000."
  }
}

variable "log_retention_days" {
  description = "How many days the log is kept."
  type        = number
  default     = 90

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653], var.log_retention_days)
    error_message = "Use one of the spans that CloudWatch Logs has, such as 30, 90 or 365."
  }
}

variable "alarm_topic_arn" {
  description = "An SNS topic that the alarms notify; empty means that they only show their state."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$", var.alarm_topic_arn))
    error_message = "Use the ARN of a topic, or leave it empty."
  }
}

variable "wake_hints" {
  description = "Whether hints wake held calls on time. Without them the sweep finds these calls up to a minute late."
  type        = bool
  default     = true
}

variable "identity_key_secret_arn" {
  description = "A secret of at least 32 bytes under which ids become row ids, for ids that are personal; its full ARN. It can never be changed afterwards."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$", var.identity_key_secret_arn))
    error_message = "Use the full ARN of a secret, with the six characters at its end, or leave it empty."
  }
}

variable "encrypt_calls" {
  description = "Whether number and attributes are encrypted in each row under a key of their own, beside the encryption of the table."
  type        = bool
  default     = false
}

variable "package" {
  description = "The deployment package; empty means the one that make lambda builds for the architecture."
  type        = string
  default     = ""
}

variable "operator_role_arn" {
  description = "A role of people that may ring too, for ringonce replay and doctor --measure-token; empty means none. With organization_target_id alone it has a meaning."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^arn:aws[a-z-]*:iam::[0-9]{12}:role/", var.operator_role_arn))
    error_message = "Use the ARN of a role, or leave it empty."
  }
}

variable "organization_target_id" {
  description = "An account, organizational unit or root where the call is denied to every other principal; empty means none. Needs the rights of the organization's management account."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^$|^[0-9]{12}$|^(ou|r)-[a-z0-9-]+$", var.organization_target_id))
    error_message = "Use an account id, an ou- or r- id, or leave it empty."
  }
}
