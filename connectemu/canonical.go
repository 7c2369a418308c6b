package connectemu

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// canonicalRequest builds the text that Signature Version 4 signs: method, path, query, headers, names of headers, body hash.
func canonicalRequest(r *http.Request, signedHeaders []string, bodyHash string) string {
	var b strings.Builder
	b.Grow(512)
	b.WriteString(r.Method + "\n" + canonicalPath(r.URL.EscapedPath()) + "\n" + canonicalQuery(r.URL.RawQuery) + "\n")
	for _, name := range signedHeaders {
		b.WriteString(name + ":" + canonicalHeader(r, name) + "\n")
	}
	b.WriteString("\n" + strings.Join(signedHeaders, ";") + "\n" + bodyHash)
	return b.String()
}

// canonicalHeader returns the values of a header, trimmed, inner runs of spaces made one. net/http keeps host and content-length
// outside the header map.
func canonicalHeader(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	}
	values := r.Header.Values(name)
	clean := make([]string, len(values))
	for i, v := range values {
		clean[i] = strings.Join(strings.Fields(v), " ")
	}
	return strings.Join(clean, ",")
}

// canonicalPath encodes the path as it was sent once more: every service but S3 signs it encoded twice.
func canonicalPath(escaped string) string {
	if escaped == "" {
		return "/"
	}
	return awsEscape(escaped, true)
}

// canonicalQuery sorts the parameters by name and value and gives every one an equals sign.
func canonicalQuery(raw string) string {
	if raw == "" {
		return ""
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		if !strings.Contains(pair, "=") {
			pairs[i] = pair + "="
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// awsEscape percent-encodes everything but the unreserved characters of RFC 3986, and slashes when they are kept.
func awsEscape(s string, keepSlash bool) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if letter || isDigit(c) || c == '-' || c == '_' || c == '.' || c == '~' || (keepSlash && c == '/') {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}
