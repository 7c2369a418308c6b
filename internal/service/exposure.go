package service

import (
	"net"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// Exposure is what a listener would open, and to whom.
type Exposure struct {
	Listen         string
	TLS            bool
	Authentication bool // everybody is asked who they are
	Rings          bool // real telephones, and no emulator
	Anonymous      bool // the operator wrote down that every program of this machine may do everything
}

// CheckExposure refuses a listener that other machines can reach unless it has TLS and asks everybody who they are, and one that rings real
// telephones for whoever is on this machine unless the configuration says so in words: every user and every program here could ring anybody, and stop
// everything. It is the one place of that decision. Its errors are *[call.Error].
func CheckExposure(x Exposure) error {
	host, _, err := net.SplitHostPort(x.Listen)
	if err != nil {
		return refuse("serve.listen", "Write it as 127.0.0.1:7464.", "The setting serve.listen is no HOST:PORT.")
	}
	switch {
	case x.TLS && x.Authentication:
		return nil
	case isLoopback(host):
		if x.Rings && !x.Authentication && !x.Anonymous {
			return refuse("access", "Set access.keys_file and make a key with `ringonce access key add`, or write access.anonymous: true if that is what you want.",
				"This configuration rings real telephones, and nobody is asked who they are: every program on this machine could ring them.")
		}
		return nil
	case !x.TLS && !x.Authentication:
		return refuse("serve.listen", "Use 127.0.0.1, or configure serve.tls and the access section.",
			"The setting serve.listen can be reached by other machines, without TLS and with nobody asked who they are.")
	case !x.TLS:
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
