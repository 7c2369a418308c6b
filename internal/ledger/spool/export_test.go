package spool

// Files is what a spool needs of a file system.
type Files = files

// OpenOn returns the spool in a folder of another file system.
func OpenOn(f Files, path string) *Dir { return &Dir{path: path, files: f} }
