package access

import "io"

// KeyForTest makes a key that is in no file.
func KeyForTest(random io.Reader) (string, error) {
	k, err := newKey(random)
	return k.text, err
}

// ChecksumForTest seals what a test has put together.
func ChecksumForTest(text string) string { return checksum(text) }
