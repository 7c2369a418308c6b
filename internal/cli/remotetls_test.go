package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"testing"
)

// mutual is a service that asks for client certificates, with what a command needs to ask it.
type mutual struct {
	*served

	desk      *desk
	authority *authority
	ca, key   string // files of the authority and of an operator's API key
}

func newMutual(t *testing.T, clients string) *mutual {
	t.Helper()
	d, a := newDesk(t, ""), newAuthority(t)
	certPEM, keyPEM := a.pair("")
	m := &mutual{desk: d, authority: a, ca: d.write("ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})))}
	d.add(fmt.Sprintf("access: {keys_file: %q, certificates: [{san: \"uri:spiffe://example/crm\", producer: crm}]}\nserve: {tls: {cert_file: %q, key_file: %q, client_ca_file: %q%s}}\n",
		filepath.Join(d.dir, "keys.json"), d.write("tls.crt", certPEM), d.write("tls.key", keyPEM), m.ca, clients))
	text, _ := d.run(ExitOK, "access", "key", "add", "--operator", "--role", "operate", "--name", "kim")
	m.key = d.write("kim.key", text)
	m.served = d.serve()
	return m
}

// shown writes the files of a client certificate.
func (m *mutual) shown(name, uri string) map[string]string {
	certPEM, keyPEM := m.authority.pair(uri)
	return map[string]string{CertVariable: m.desk.write(name+".crt", certPEM), CertKeyVariable: m.desk.write(name+".pem", keyPEM)}
}

// lists asks for the calls with the operator's key and what more stands in the environment.
func (m *mutual) lists(want int, more map[string]string, args ...string) (stderr string) {
	m.t.Helper()
	env := map[string]string{ServerVariable: m.url, KeyVariable: m.key, CAVariable: m.ca}
	maps.Copy(env, more)
	_, stderr = m.desk.runs(want, env, append([]string{"calls", "list"}, args...)...)
	return stderr
}

func TestWhereClientCertificatesAreAskedForAnOperatorStillComesInWithAKey(t *testing.T) {
	t.Parallel()
	m := newMutual(t, "") // the default
	m.lists(ExitOK, nil)
	m.lists(ExitOK, m.shown("laptop", "spiffe://example/laptop"))
	m.lists(ExitUsage, m.shown("crm", "spiffe://example/crm")) // two credentials
	alone := m.shown("crm", "spiffe://example/crm")
	alone[KeyVariable] = ""
	m.lists(ExitOK, alone)
	roots := x509.NewCertPool()
	roots.AddCert(m.authority.cert)
	probe := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}}}
	response, err := probe.Get(m.url + "/healthz")
	if err != nil {
		t.Fatalf("a probe without a certificate: %v", err)
	}
	_ = response.Body.Close()
}

func TestACommandShowsACertificateWhereTheServiceRequiresOne(t *testing.T) {
	t.Parallel()
	m := newMutual(t, ", clients: require")
	m.lists(ExitEnvironment, nil)
	laptop := m.shown("laptop", "spiffe://example/laptop")
	m.lists(ExitOK, laptop)
	m.lists(ExitOK, nil, "--cert-file", laptop[CertVariable], "--key-file", laptop[CertKeyVariable], "--ca-file", m.ca)
	m.lists(ExitEnvironment, map[string]string{CAVariable: ""}, "--cert-file", laptop[CertVariable], "--key-file", laptop[CertKeyVariable]) // the machine does not know the authority
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--cert-file", laptop[CertVariable]}, "--cert-file is given without its counterpart."},
		{[]string{"--cert-file", m.ca, "--key-file", laptop[CertKeyVariable]}, "The files of --cert-file and --key-file hold no certificate with its private key."},
		{[]string{"--ca-file", m.key}, "The file of --ca-file holds no certificate."},
		{[]string{"--ca-file", filepath.Join(m.desk.dir, "none")}, "The file of --ca-file cannot be read"},
		{[]string{"--ca-file", m.ca, "--server", "http://127.0.0.1:1"}, "--ca-file is given, and the service is asked without TLS."},
	} {
		says(t, m.lists(ExitUsage, nil, c.args...), c.says)
	}
	_, told := m.desk.runs(ExitUsage, nil, "--config", m.desk.config, "calls", "list", "--ca-file", m.ca)
	says(t, told, "--ca-file is given without a service.")
}
