package app

import "strings"

// madeOf reports whether a name has 1 to most letters, digits and some other characters. A regular expression that counts so far would cost
// every start of a function more than all other checks together.
func madeOf(name, others string, most int) bool {
	strange := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r)
	}
	return name != "" && len(name) <= most && !strings.ContainsFunc(name, strange)
}

// tableName reports whether DynamoDB takes a name (API reference, TableName), without ARNs: the Region is a setting of its own.
func tableName(name string) bool { return len(name) >= 3 && madeOf(name, "_.-", 255) }

// profileName reports whether a profile can have a name.
func profileName(name string) bool { return madeOf(name, "_-", 64) && name[0] != '_' && name[0] != '-' }

// namespaceName reports whether CloudWatch takes a namespace (API reference, PutMetricData, Namespace); those that begin with AWS/ are its
// own.
func namespaceName(name string) bool {
	return madeOf(name, ".-_/#", 255) && !strings.HasPrefix(name, "AWS/")
}

// requestID reports whether a log line takes the id of an invocation; Lambda's are UUIDs.
func requestID(id string) bool { return madeOf(id, "-", 64) }
