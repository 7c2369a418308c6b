// Package bench measures what a call costs through the whole core, against a peer in the same run: docs/benchmarks.md says how to
// repeat each figure. Nothing here is a timed test.
package bench
