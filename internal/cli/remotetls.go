package cli

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/http"
)

// The variables that name what a service is shown in the handshake, and whose certificate it may have.
const (
	CertVariable    = "RINGONCE_CERT_FILE"
	CertKeyVariable = "RINGONCE_KEY_FILE"
	CAVariable      = "RINGONCE_CA_FILE"
)

// mostOfPEM is how long a file of certificates may be; a bundle of every public authority is a quarter of it.
const mostOfPEM = 1 << 20

// withoutService is a flag that is given and means nothing without a service; empty when none is.
func (f remoteFlags) withoutService() string {
	for _, given := range []struct{ name, value string }{
		{"--api-key-file", f.APIKeyFile}, {"--cert-file", f.CertFile}, {"--key-file", f.KeyFile}, {"--ca-file", f.CAFile},
	} {
		if given.value != "" {
			return given.name
		}
	}
	return ""
}

// namedFile is the file that a flag or its variable names, with which of them did; both empty when neither does.
func (e *environment) namedFile(flag, value, variable string) (path, named string) {
	if value != "" {
		return value, flag
	}
	if path, _ = e.LookupEnv(variable); path != "" {
		return path, variable
	}
	return "", ""
}

// remoteTransport carries the requests to a service; nil, the machine's own way, when neither a certificate nor authorities are named.
func (e *environment) remoteTransport(f remoteFlags, encrypted bool) (http.RoundTripper, error) {
	cert, certNamed := e.namedFile("--cert-file", f.CertFile, CertVariable)
	key, keyNamed := e.namedFile("--key-file", f.KeyFile, CertKeyVariable)
	ca, caNamed := e.namedFile("--ca-file", f.CAFile, CAVariable)
	switch {
	case cert == "" && key == "" && ca == "":
		return nil, nil //nolint:nilnil // the default of net/http
	case !encrypted && f.CertFile == "" && f.KeyFile == "" && f.CAFile == "": // variables may stay while a service of this machine is asked
		return nil, nil //nolint:nilnil // the same
	case !encrypted:
		return nil, misused(cmp.Or(certNamed, keyNamed, caNamed)+" is given, and the service is asked without TLS.", "Ask it by https, or leave the flag out.")
	case (cert == "") != (key == ""):
		return nil, misused(cmp.Or(certNamed, keyNamed)+" is given without its counterpart.", "Name the certificate with --cert-file and its private key with --key-file.")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != "" {
		pair, err := keyPair(cert, certNamed, key, keyNamed)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if ca != "" {
		text, err := readNamed(ca, caNamed)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, misused("The file of "+caNamed+" holds no certificate.", "Give certificates of authorities as PEM.")
		}
	}
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		usual = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport := usual.Clone()
	transport.TLSClientConfig = config
	return transport, nil
}

func keyPair(cert, certNamed, key, keyNamed string) (tls.Certificate, error) {
	certText, err := readNamed(cert, certNamed)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyText, err := readNamed(key, keyNamed)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(certText, keyText)
	if err != nil { // its text may hold parts of the files
		return tls.Certificate{}, misused("The files of "+certNamed+" and "+keyNamed+" hold no certificate with its private key.", "Give both as PEM; the key without a passphrase.")
	}
	return pair, nil
}

func readNamed(path, named string) ([]byte, error) {
	text, err := readFew(path, mostOfPEM)
	if err != nil {
		return nil, misused("The file of "+named+" cannot be read: "+cause(err)+".", "Name a file that this user can read.")
	}
	return text, nil
}
