// Package e2etest runs the deployed function from its producers to the telephone: the deployment package of tools/lambdazip on an AWS
// emulator from a package registry (internal/awstest, docs/adr/0013), producers that publish with the AWS SDK to SQS, SNS, EventBridge and
// Lambda, and connectemu as Amazon Connect.
//
// It holds tests only, behind the build tag integration. The oracle of every case is the emulator's list of rings; after it come the
// invariants of every row in the table. Time is the machine's, since the function is a process of its own: the cases that must wait for a
// lease or a pause of the protocol wait beside each other.
package e2etest
