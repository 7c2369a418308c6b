package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	made int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	der, key := a.sign("", nil)
	a.key = key
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign makes a certificate with a URI; by nobody, one that signs others.
func (a *authority) sign(uri string, by *authority) (der []byte, key *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.made++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.made), Subject: pkix.Name{CommonName: "crm"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if u, err := url.Parse(uri); err == nil && uri != "" {
		template.URIs = []*url.URL{u}
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer); err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

// pair returns a certificate with its key, as PEM.
func (a *authority) pair(uri string) (certPEM, keyPEM string) {
	a.t.Helper()
	der, key := a.sign(uri, a)
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}))
}

// client shakes hands with a certificate of the authority; without a URI it shows one that names nobody.
func (a *authority) client(uri string) []tls.Certificate {
	a.t.Helper()
	certPEM, keyPEM := a.pair(uri)
	made, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		a.t.Fatal(err)
	}
	return []tls.Certificate{made}
}

func TestAClientCertificateIsAProducerAtTheServedListener(t *testing.T) {
	t.Parallel()
	for _, clients := range []string{"require", "optional"} {
		d, a, foreign := newDesk(t, ""), newAuthority(t), newAuthority(t)
		certPEM, keyPEM := a.pair("")
		ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
		d.add(fmt.Sprintf("access: {keys_file: %q, certificates: [{san: \"uri:spiffe://example/crm\", producer: crm}]}\nserve: {tls: {cert_file: %q, key_file: %q, client_ca_file: %q, clients: %s}}\n",
			filepath.Join(d.dir, "keys.json"), d.write("tls.crt", certPEM), d.write("tls.key", keyPEM), d.write("ca.crt", ca), clients))
		s := d.serve()
		roots := x509.NewCertPool()
		roots.AddCert(a.cert)
		ask := func(path string, shown []tls.Certificate) int {
			t.Helper()
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: shown}}}
			response, err := client.Get(s.url + path)
			if err != nil {
				return 0 // no handshake
			}
			_ = response.Body.Close()
			return response.StatusCode
		}
		anonymous := map[string]int{"require": 0, "optional": http.StatusUnauthorized}[clients]
		for name, c := range map[string]struct {
			shown []tls.Certificate
			want  int
		}{
			"the producer's":            {a.client("spiffe://example/crm"), http.StatusOK},
			"a stranger's":              {a.client("spiffe://example/other"), http.StatusUnauthorized},
			"one with a common name":    {a.client(""), http.StatusUnauthorized},
			"that of another authority": {foreign.client("spiffe://example/crm"), 0}, // shown, as the authorities have one name
			"none":                      {nil, anonymous},
		} {
			if got := ask("/v1/calls", c.shown); got != c.want {
				t.Errorf("clients %s, %s: %d, want %d", clients, name, got, c.want)
			}
		}
		s.stop()
	}
}
