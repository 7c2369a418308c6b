package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Error says why a secret cannot be had: what follows the name of the setting, and the next step. It holds nothing of the secret.
type Error struct{ Message, Fix string }

// Error returns both.
func (e *Error) Error() string { return e.Message + " " + e.Fix }

func failed(fix, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Fix: fix}
}

// IsPrivate reports whether the mode of a file fits a secret: its owner and its group read it, and only its owner writes it. A group is how a process
// without a user of its own is given a file: a Secret of Kubernetes under fsGroup and a credential of systemd have mode 0440.
func IsPrivate(mode fs.FileMode) bool { return mode.Perm()&0o037 == 0 }

// ReadFile reads a secret from a file that is private ([IsPrivate]). A final line feed is not part of it. Its errors are *[Error].
func ReadFile(path string) (Secret, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Secret{}, failed("Name an existing file of at least 32 random bytes, mode 0600.", "cannot be read: %v.", errors.Unwrap(err))
	}
	if !IsPrivate(info.Mode()) {
		return Secret{}, failed("Run chmod 640 or 600 on it.", "is open to others than its owner and the readers of its group.")
	}
	value, err := os.ReadFile(path)
	if err != nil {
		return Secret{}, failed("Make it readable for this user.", "cannot be read: %v.", errors.Unwrap(err))
	}
	return trim(value), nil
}
