package connectemu

import "strings"

// isGUID reports whether s is 8-4-4-4-12 hexadecimal digits: the shape of the ids of instances, flows, queues and contacts.
func isGUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHexDigit(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHexDigit(b byte) bool {
	return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isE164 reports whether s is a plus sign and 2 to 15 digits, the first of them not zero (the PhoneNumber pattern of the API
// model, whose published form has one backslash too many).
func isE164(s string) bool {
	if len(s) < 3 || len(s) > 16 || s[0] != '+' || s[1] == '0' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// isAttributeName reports whether s is made of letters, digits, - and _ (the API reference: "Attribute keys can include only
// alphanumeric, dash, and underscore characters").
func isAttributeName(s string) bool {
	for i := range len(s) {
		b := s[i]
		if !isDigit(b) && b != '-' && b != '_' && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return true
}

// maskNumber keeps the country digits and the last four digits of a number, for logs and error texts.
func maskNumber(number string) string {
	if len(number) < 9 || number[0] != '+' {
		return strings.Repeat("*", len(number))
	}
	country := 3
	if number[1] == '1' || number[1] == '7' {
		country = 2
	}
	tail := len(number) - 4
	return number[:country] + strings.Repeat("*", tail-country) + number[tail:]
}
