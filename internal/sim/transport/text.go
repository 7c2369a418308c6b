package transport

import (
	"crypto/md5" //nolint:gosec // SQS defines md5OfBody.
	"encoding/hex"
	"strconv"
	"time"
)

const (
	millisLayout  = "2006-01-02T15:04:05.000Z" // SNS, Lambda records
	secondsLayout = "2006-01-02T15:04:05Z"     // EventBridge, Scheduler
)

func appendTime(dst []byte, at time.Time, layout string) []byte {
	return at.UTC().AppendFormat(dst, layout)
}

// appendString writes a JSON string. Bytes that are no UTF-8 stay as they are: what a service accepts is the producer's affair.
func appendString[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(dst, text[from:]...), '"')
}

// appendNumber writes a number as a JSON string.
func appendNumber(dst []byte, n int64) []byte {
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

// checksum returns what SQS calls MD5OfBody.
func checksum(body []byte) string {
	sum := md5.Sum(body) //nolint:gosec // SQS defines md5OfBody.
	return hex.EncodeToString(sum[:])
}

// id returns the next id, in the form of a UUID. Ids of networks with different spaces differ.
func (n *Network) id() string {
	n.ids++
	const shape = "00000000-0000-4000-8000-000000000000"
	text := []byte(shape)
	for i, v := 7, n.options.Space; v > 0 && i >= 0; i, v = i-1, v/10 {
		text[i] += byte(v % 10)
	}
	for i, v := len(text)-1, n.ids; v > 0 && i > 23; i, v = i-1, v/10 {
		text[i] += byte(v % 10)
	}
	return string(text)
}
