package access

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
)

// certified returns the producer whom a client certificate stands for. Only a chain that the listener verified counts, and only the names of its leaf:
// URIs, among them SPIFFE ids, and DNS names. The names must all stand for one producer; a name that is not listed stands for nobody.
func certified(state *tls.ConnectionState, names map[string]string) (producer string, ok bool) {
	if state == nil || len(state.VerifiedChains) == 0 || len(state.PeerCertificates) == 0 {
		return "", false
	}
	for _, name := range sans(state.PeerCertificates[0]) {
		found, listed := names[name]
		if !listed {
			continue
		}
		if producer != "" && producer != found {
			return "", false
		}
		producer = found
	}
	return producer, producer != ""
}

// standsForNobody reports whether a client certificate was verified and none of its names is listed. Such a one opens the connection and no more: machines
// have one from a mesh or from their administration, whoever sits at them.
func standsForNobody(state *tls.ConnectionState, names map[string]string) bool {
	if state == nil || len(state.VerifiedChains) == 0 || len(state.PeerCertificates) == 0 {
		return false
	}
	return !slices.ContainsFunc(sans(state.PeerCertificates[0]), func(name string) bool {
		_, listed := names[name]
		return listed
	})
}

// sans writes the names as the configuration does: "dns:NAME" and "uri:URI". The common name is none of them.
func sans(leaf *x509.Certificate) []string {
	var all []string
	for _, name := range leaf.DNSNames {
		all = append(all, "dns:"+name)
	}
	for _, name := range leaf.URIs {
		all = append(all, "uri:"+name.String())
	}
	return all
}
