package service_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/service"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	_, a.cert, a.key = a.sign("authority", time.Now().Add(time.Hour), nil)
	return a
}

func (a *authority) sign(name string, until time.Time, by *authority) (der []byte, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer); err != nil {
		a.t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		a.t.Fatal(err)
	}
	return der, cert, key
}

// pair writes a certificate and its key, and returns it as a client would use it.
func (a *authority) pair(dir, name string, until time.Time) tls.Certificate {
	a.t.Helper()
	der, _, key := a.sign(name, until, a)
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	a.write(filepath.Join(dir, "tls.crt"), certPEM)
	a.write(filepath.Join(dir, "tls.key"), keyPEM)
	made, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		a.t.Fatal(err)
	}
	return made
}

func (a *authority) write(path string, text []byte) string {
	a.t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

func (a *authority) ca(dir string) string {
	return a.write(filepath.Join(dir, "ca.crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// get asks for /healthz and returns the name in the server's certificate.
func (a *authority) get(address string, clients ...tls.Certificate) (name string, err error) {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: clients}}}
	response, err := client.Get("https://" + address + "/healthz")
	if err != nil {
		return "", err
	}
	return response.TLS.PeerCertificates[0].Subject.CommonName, response.Body.Close()
}

func options(dir string) service.TLSOptions {
	return service.TLSOptions{
		CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), Clock: clock{}, Log: slog.New(slog.DiscardHandler), Metrics: service.NewMetrics(""),
	}
}

func TestNewCertificatesAreUsedWithoutARestartAndBrokenOnesAreNot(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), newAuthority(t)
	a.pair(dir, "first", time.Now().Add(time.Hour))
	c, err := service.OpenCertificates(options(dir))
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := newServer(t, func(o *service.Options) { o.TLS = c })
	address, _, _ := listening(t, s)
	serves := func(want string) {
		t.Helper()
		if name, err := a.get(address); err != nil || name != want {
			t.Errorf("serves %q, %v; want %q", name, err, want)
		}
	}
	serves("first")
	asked := make(chan os.Signal) // unbuffered: the second signal is taken when the first was worked on
	watching, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Watch(watching, asked) }()
	a.pair(dir, "second", time.Now().Add(2*time.Hour))
	asked <- syscall.SIGHUP
	asked <- syscall.SIGHUP
	serves("second")
	a.write(filepath.Join(dir, "tls.crt"), []byte("half a file"))
	asked <- syscall.SIGHUP
	asked <- syscall.SIGHUP
	serves("second")
	stop()
	<-ended
	a.pair(dir, "third", time.Now().Add(time.Hour))
	if changed, err := c.Reload(); err != nil || !changed {
		t.Errorf("%v, %v", changed, err)
	}
	serves("third")
	if changed, err := c.Reload(); err != nil || changed {
		t.Errorf("the same files: %v, %v", changed, err)
	}
}

func TestClientsShowACertificateOfTheNamedAuthority(t *testing.T) {
	t.Parallel()
	dir, a, foreign := t.TempDir(), newAuthority(t), newAuthority(t)
	client, stranger := a.pair(t.TempDir(), "producer", time.Now().Add(time.Hour)), foreign.pair(t.TempDir(), "stranger", time.Now().Add(time.Hour))
	a.pair(dir, "service", time.Now().Add(time.Hour))
	for _, optional := range []bool{false, true} {
		o := options(dir)
		o.ClientCAFile, o.ClientsOptional = a.ca(dir), optional
		c, err := service.OpenCertificates(o)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _ := newServer(t, func(o *service.Options) { o.TLS = c })
		address, _, _ := listening(t, s)
		if _, err := a.get(address, client); err != nil {
			t.Errorf("optional %v: the producer: %v", optional, err)
		}
		if _, err := a.get(address); (err == nil) != optional {
			t.Errorf("optional %v: nobody: %v", optional, err)
		}
	}
	o := options(dir)
	o.ClientCAFile = foreign.ca(t.TempDir())
	c, err := service.OpenCertificates(o)
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := newServer(t, func(o *service.Options) { o.TLS = c })
	address, _, _ := listening(t, s)
	if _, err := a.get(address, client); err == nil {
		t.Error("a certificate of another authority was accepted")
	}
	if _, err := a.get(address, stranger); err != nil {
		t.Errorf("that of the named one was not: %v", err)
	}
}

func TestFilesThatHoldNoUsableCertificateAreRefusedByTheirKey(t *testing.T) {
	t.Parallel()
	for field, spoil := range map[string]func(a *authority, dir string, o *service.TLSOptions){
		"serve.tls.cert_file": func(a *authority, dir string, _ *service.TLSOptions) { a.pair(dir, "old", time.Now().Add(-time.Hour)) },
		"serve.tls.key_file": func(a *authority, dir string, _ *service.TLSOptions) {
			_ = os.Chmod(filepath.Join(dir, "tls.key"), 0o644)
		},
		"serve.tls.client_ca_file": func(a *authority, dir string, o *service.TLSOptions) {
			o.ClientCAFile = a.write(filepath.Join(dir, "ca"), []byte("none"))
		},
	} {
		dir, a := t.TempDir(), newAuthority(t)
		a.pair(dir, "service", time.Now().Add(time.Hour))
		o := options(dir)
		spoil(a, dir, &o)
		_, err := service.OpenCertificates(o)
		if told, ok := errors.AsType[*call.Error](err); !ok || told.Code != call.CodeConfiguration || told.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := service.OpenCertificates(options(t.TempDir())); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("no files: %v", err)
	}
}

// A client that shook hands before keeps a ticket. It must not get around the authority that is named now.
func TestAnotherAuthorityIsAskedForAfterAReloadAlsoOfClientsThatCameBefore(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		dir, a, next := t.TempDir(), newAuthority(t), newAuthority(t)
		before, after := a.pair(t.TempDir(), "before", time.Now().Add(time.Hour)), next.pair(t.TempDir(), "after", time.Now().Add(time.Hour))
		a.pair(dir, "service", time.Now().Add(time.Hour))
		o := options(dir)
		o.ClientCAFile = a.ca(dir)
		c, err := service.OpenCertificates(o)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _ := newServer(t, func(o *service.Options) { o.TLS = c })
		address, _, _ := listening(t, s)
		roots := x509.NewCertPool()
		roots.AddCert(a.cert)
		visits := func(cert tls.Certificate, tickets tls.ClientSessionCache) (resumed bool, err error) {
			t.Helper()
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
				RootCAs: roots, Certificates: []tls.Certificate{cert}, ClientSessionCache: tickets, MaxVersion: version, MinVersion: tls.VersionTLS12,
			}}}
			response, err := client.Get("https://" + address + "/healthz")
			if err != nil {
				return false, err
			}
			return response.TLS.DidResume, response.Body.Close()
		}
		old, fresh := tls.NewLRUClientSessionCache(4), tls.NewLRUClientSessionCache(4)
		if _, err := visits(before, old); err != nil {
			t.Fatal(err)
		}
		if resumed, err := visits(before, old); err != nil || !resumed {
			t.Errorf("TLS %x: resumed %t, %v: this test would see nothing", version, resumed, err)
		}
		if _, err := visits(after, fresh); err == nil {
			t.Errorf("TLS %x: a certificate of an authority that is not named yet was accepted", version)
		}
		next.ca(dir)
		if changed, err := c.Reload(); err != nil || !changed {
			t.Fatalf("%t, %v", changed, err)
		}
		if resumed, err := visits(before, old); err == nil {
			t.Errorf("TLS %x: a certificate of the authority of before was accepted, resumed %t", version, resumed)
		}
		if _, err := visits(after, fresh); err != nil {
			t.Errorf("TLS %x: that of the new one was not: %v", version, err)
		}
	}
}
