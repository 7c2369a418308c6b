// Package replay brings recorded events back: documents of an archive, an export or a dead-letter queue. It finds the documents in files,
// folders and streams, previews every record in the order in which it would be placed, and then places what was chosen, one record after the
// other, until it is done or told to stop.
//
// It decides nothing about calls: what a record would do comes from a [Previewer], what it does from a [Placer], and both are the core's.
package replay
