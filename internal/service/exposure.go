package service

import (
	"net"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// CheckExposure refuses a listener that other machines can reach unless it has TLS and asks everybody who they are. It is the one place of that
// decision. Its errors are *[call.Error].
func CheckExposure(listen string, tls, authentication bool) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return refuse("serve.listen", "Write it as 127.0.0.1:7464.", "The setting serve.listen is no HOST:PORT.")
	}
	switch {
	case isLoopback(host), tls && authentication:
		return nil
	case !tls && !authentication:
		return refuse("serve.listen", "Use 127.0.0.1, or configure serve.tls and the access section.",
			"The setting serve.listen can be reached by other machines, without TLS and with nobody asked who they are.")
	case !tls:
		return refuse("serve.listen", "Configure serve.tls, or use 127.0.0.1 behind a proxy.", "The setting serve.listen can be reached by other machines, without TLS.")
	}
	return refuse("serve.listen", "Configure the access section, or use 127.0.0.1.", "The setting serve.listen can be reached by other machines, and nobody is asked who they are.")
}

// isLoopback reports whether a host is this machine and no other. A name that only a resolver could explain is not.
func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

func refuse(field, fix, message string) *call.Error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: message, Fix: fix}
}
