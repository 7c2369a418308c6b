//go:build !integration

package sqlite_test

// integration says whether this is a run with the tag integration, which may take minutes.
const integration = false
