package connect

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// longestMessage is how much of a message is kept, in bytes.
const longestMessage = 300

// tidy makes a text from outside fit for a ledger and a log: numbers masked, one line, of bounded length.
func tidy(text, number string) string {
	text = mask(text, number)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + "..."
	}
	return text
}

// mask hides every run of digits after a plus sign but its last four, and the digits of the number wherever they stand: services
// repeat what they were sent.
func mask(text, number string) string {
	if digits := strings.TrimPrefix(number, "+"); len(digits) > 4 {
		text = strings.ReplaceAll(text, digits, stars(digits))
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '+')
		if i < 0 {
			break
		}
		run := i + 1
		for run < len(text) && text[run] >= '0' && text[run] <= '9' {
			run++
		}
		b.WriteString(text[:i+1])
		b.WriteString(stars(text[i+1 : run]))
		text = text[run:]
	}
	b.WriteString(text)
	return b.String()
}

// stars masks digits: short runs whole, long ones but for the last four.
func stars(digits string) string {
	if len(digits) <= 8 {
		return strings.Repeat("*", len(digits))
	}
	hidden := len(digits) - 4
	return strings.Repeat("*", hidden) + digits[hidden:]
}

// dialedNumber finds the number in a stored body, so that it can be hidden. Empty when there is none.
func dialedNumber(body []byte) string {
	_, rest, ok := bytes.Cut(body, []byte(`"DestinationPhoneNumber":"`))
	if !ok {
		return ""
	}
	number, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(number)
}

// longestWish bounds what a service can ask for.
const longestWish = time.Hour

// retryAfter reads the service's wish: x-amz-retry-after in milliseconds, else Retry-After in seconds. A date, or nonsense, is
// no wish.
func retryAfter(header http.Header) time.Duration {
	for _, h := range [...]struct {
		name string
		unit time.Duration
	}{{"X-Amz-Retry-After", time.Millisecond}, {"Retry-After", time.Second}} {
		n, err := strconv.ParseInt(header.Get(h.name), 10, 32)
		if err == nil && n > 0 {
			return min(time.Duration(n)*h.unit, longestWish)
		}
	}
	return 0
}
