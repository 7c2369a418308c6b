package kmskey

import (
	"strings"
)

// regionOf returns the Region in the ARN of a KMS key or alias, arn:PARTITION:kms:REGION:ACCOUNT:key/ID; empty when it is none. The Region
// becomes part of a host name, so it may hold nothing else.
func regionOf(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[0] != "arn" || parts[2] != "kms" {
		return ""
	}
	if !strings.HasPrefix(parts[5], "key/") && !strings.HasPrefix(parts[5], "alias/") {
		return ""
	}
	for _, c := range []byte(parts[3]) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return ""
		}
	}
	return parts[3]
}
