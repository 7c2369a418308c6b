// Package awsaccount looks at the parts of a set-up in an AWS account: the instance, its flow, queue and numbers, quotas, queues, function,
// rule, schedule and table. It only reads; the operations that it sends are listed in [Reads], and its tests hold every request on the wire to
// that list. A look that fails is a [doctor.Unseen], which names the permission that it needs.
package awsaccount
