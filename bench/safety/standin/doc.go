// Package standin is a DynamoDB in memory for the comparison of bench/safety: both sides keep their records in it, so what differs is what
// they ask of it. It reads expressions as the API reference defines them, refuses items above 400 KB without keeping a part of them, and
// returns the old item of a failed condition when it is asked to. Faults are set per table. It judges no signature, has one Region and
// no pages below 1 MB.
package standin
