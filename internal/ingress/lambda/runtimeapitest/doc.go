// Package runtimeapitest is a test kit: it speaks the AWS Lambda Runtime API on loopback, and starts and kills the function that
// talks to it.
//
// A [Server] holds one invocation at a time out to whoever asks for the next one, and gives its caller the response or the error
// that was posted for it. A [Function] is a child process whose environment is what Lambda would set and nothing of ours. Both are
// bounded: bodies by the limits of Lambda, waits by the caller's context.
//
// Facts: Lambda developer guide, "Using the Lambda runtime API": paths, headers, status codes 202, 400 and 403.
package runtimeapitest
