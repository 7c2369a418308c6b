package auditlog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// saltSize is of the secret of a day.
const saltSize = 32

// phonelike finds what could be a phone number in free text: 7 digits or more, with what people put between them.
var phonelike = regexp.MustCompile(`\+?[0-9][0-9 ()./-]{5,}[0-9]`)

// masked keeps two digits at the beginning and four at the end of what has 7 digits or more.
func masked(text string) string { return maskedFrom(7, text) }

// maskedTarget masks what has more digits than a beginning of numbers that can be paused has, but for the account in an ARN.
func maskedTarget(text string) string {
	if parts := strings.SplitN(text, ":", 7); len(parts) == 7 && parts[1] == "arn" && account.MatchString(parts[5]) { // producer:arn:aws:sqs:REGION:ACCOUNT:NAME
		head, tail := strings.Join(parts[:5], ":"), parts[6]
		return maskedFrom(9, head) + ":" + parts[5] + ":" + maskedFrom(9, tail)
	}
	return maskedFrom(9, text)
}

var account = regexp.MustCompile(`^[0-9]{12}$`)

func maskedFrom(least int, text string) string {
	if !strings.ContainsAny(text, "0123456789") { // most acts are told in words
		return text
	}
	return phonelike.ReplaceAllStringFunc(text, func(number string) string {
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, number)
		if len(digits) < least {
			return number
		}
		plus := ""
		if number[0] == '+' {
			plus = "+"
		}
		return plus + digits[:2] + "******" + digits[len(digits)-min(4, len(digits)-4):]
	})
}

// digests replaces values by what shows only to somebody who knows them whether they are the same.
func digests(values map[string]string, salt []byte) map[string]string {
	if len(values) == 0 {
		return nil
	}
	all := make(map[string]string, len(values))
	for name, value := range values {
		all[name] = digest(salt, name, value)
	}
	return all
}

func digest(salt []byte, name, value string) string {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(name + "\x00" + value))
	return hex.EncodeToString(mac.Sum(nil))
}

// Matches reports whether a record's digest of that name is of that value. It is an error of fs.ErrNotExist when the salt of its day was erased.
func Matches(dir string, r Record, name, value string) (bool, error) {
	salt, err := os.ReadFile(saltPath(dir, r.Day))
	if err != nil {
		return false, fmt.Errorf("auditlog: the salt of %s: %w", r.Day, err)
	}
	return hmac.Equal([]byte(digest(salt, name, value)), []byte(r.Personal[name])), nil
}

func saltPath(dir, day string) string { return filepath.Join(dir, "salt-"+filepath.Base(day)) }

// saltOf reads the salt of a day, or makes it.
func saltOf(dir, day string, random io.Reader) ([]byte, error) {
	salt, err := os.ReadFile(saltPath(dir, day))
	if err == nil && len(salt) == saltSize {
		return salt, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("auditlog: the salt of the day: %w", err)
	}
	salt = make([]byte, saltSize)
	if _, err := io.ReadFull(random, salt); err != nil {
		return nil, fmt.Errorf("auditlog: no randomness for the salt of the day: %w", err)
	}
	return salt, writeWhole(saltPath(dir, day), salt)
}
