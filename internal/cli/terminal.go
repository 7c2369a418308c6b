package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// typed reports whether a person types what a reader reads.
func typed(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// terminalSize returns what measures the terminal that a writer draws on; nil when it draws on none.
func terminalSize(w io.Writer) func() (columns, rows int) {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	measure := func() (columns, rows int) {
		size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0, 0
		}
		return int(size.Col), int(size.Row)
	}
	if columns, rows := measure(); columns == 0 || rows == 0 {
		return nil // a file, a pipe, or a terminal that does not know its size
	}
	return measure
}
