package secret

import (
	"errors"
	"fmt"
	"os"
)

// Error says why a secret cannot be had: what follows the name of the setting, and the next step. It holds nothing of the secret.
type Error struct{ Message, Fix string }

// Error returns both.
func (e *Error) Error() string { return e.Message + " " + e.Fix }

func failed(fix, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Fix: fix}
}

// ReadFile reads a secret from a file that only its owner can read. A final line feed is not part of it. Its errors are *[Error].
func ReadFile(path string) (Secret, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Secret{}, failed("Name an existing file of at least 32 random bytes, mode 0600.", "cannot be read: %v.", errors.Unwrap(err))
	}
	if info.Mode().Perm()&0o077 != 0 {
		return Secret{}, failed("Run chmod 600 on it.", "is readable by others than its owner.")
	}
	value, err := os.ReadFile(path)
	if err != nil {
		return Secret{}, failed("Make it readable for this user.", "cannot be read: %v.", errors.Unwrap(err))
	}
	return trim(value), nil
}
