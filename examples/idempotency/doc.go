// Package idempotency holds one small program for each API of the table in docs/idempotency.md. Each derives the token of a key, sends a
// request, repeats it, and shows that the two had one effect. Run one with the environment that the AWS SDKs read:
//
//	go run ./ec2-run-instances -notification notification-12345 -recipient user-67890 -image ami-12c6146b
//
// It is a module of its own, so that nobody who depends on the packages of ringonce gets the clients of these services.
package idempotency
