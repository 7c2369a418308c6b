package service

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
)

// reloadEvery is how often the files are looked at.
const reloadEvery = 10 * time.Second

// TLSOptions say where certificates lie. CertFile, KeyFile, Clock and Log are required.
type TLSOptions struct {
	CertFile, KeyFile string // PEM, the certificate with its chain
	ClientCAFile      string // PEM; with it, clients show a certificate of one of these authorities
	ClientsOptional   bool   // a client may show none; one that is shown must be valid
	Clock             call.Clock
	Log               *slog.Logger
	Metrics           *Metrics // nil counts nothing
}

// Certificates are those of a listener. They are read again when their files change; files that cannot be used leave the ones before in place.
type Certificates struct {
	o       TLSOptions
	current atomic.Pointer[tls.Config]
	expires atomic.Int64

	mu   sync.Mutex
	read [3][sha256.Size]byte // hashes of the files: the text of a key is not kept
}

// OpenCertificates reads the files. Its errors are *[call.Error].
func OpenCertificates(o TLSOptions) (*Certificates, error) {
	c := &Certificates{o: o}
	if _, err := c.Reload(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config returns the configuration of a listener; each connection is given the newest certificates.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.current.Load(), nil },
	}
}

// Expires returns when the certificate ends.
func (c *Certificates) Expires() time.Time { return time.Unix(c.expires.Load(), 0).UTC() }

// Reload reads the files and reports whether they changed. On an error everything stays as it was.
func (c *Certificates) Reload() (changed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var texts [3][]byte
	for i, file := range []struct{ field, path string }{
		{"serve.tls.cert_file", c.o.CertFile}, {"serve.tls.key_file", c.o.KeyFile}, {"serve.tls.client_ca_file", c.o.ClientCAFile},
	} {
		if file.path == "" && i == 2 {
			continue
		}
		if texts[i], err = os.ReadFile(file.path); err != nil {
			reason := err
			if pathError, ok := errors.AsType[*fs.PathError](err); ok {
				reason = pathError.Err
			}
			return false, refuse(file.field, "Name a file that this user can read.", fmt.Sprintf("The file of %s cannot be read: %v.", file.field, reason))
		}
	}
	defer clear(texts[1])
	read := [3][sha256.Size]byte{sha256.Sum256(texts[0]), sha256.Sum256(texts[1]), sha256.Sum256(texts[2])}
	if c.current.Load() != nil && read == c.read {
		return false, nil
	}
	config, expires, err := c.build(texts)
	if err != nil {
		return false, err
	}
	c.read = read
	c.current.Store(config)
	c.expires.Store(expires.Unix())
	return true, nil
}

func (c *Certificates) build(texts [3][]byte) (*tls.Config, time.Time, error) {
	info, err := os.Stat(c.o.KeyFile)
	if err == nil && !secret.IsPrivate(info.Mode()) {
		return nil, time.Time{}, refuse("serve.tls.key_file", "Run chmod 640 or 600 on it.", "The file of serve.tls.key_file is open to others than its owner and the readers of its group.")
	}
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil || pair.Leaf == nil {
		return nil, time.Time{}, refuse("serve.tls.cert_file", "Give a certificate and its key, both as PEM.", "The files of serve.tls hold no certificate with its key.")
	}
	if now := c.o.Clock.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, time.Time{}, refuse("serve.tls.cert_file", "Renew it.", "The certificate of serve.tls.cert_file ended at "+pair.Leaf.NotAfter.UTC().Format(time.RFC3339)+".")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{pair}}
	if c.o.ClientCAFile != "" {
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(texts[2]) {
			return nil, time.Time{}, refuse("serve.tls.client_ca_file", "Give certificates of authorities as PEM.", "The file of serve.tls.client_ca_file holds no certificate.")
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
		if c.o.ClientsOptional {
			config.ClientAuth = tls.VerifyClientCertIfGiven
		}
	}
	return config, pair.Leaf.NotAfter, nil
}

// Watch reads the files again when they change and when asked by the channel, until ctx ends.
func (c *Certificates) Watch(ctx context.Context, asked <-chan os.Signal) {
	for {
		tick, end := context.WithCancel(ctx)
		ticked := make(chan struct{})
		go func() {
			defer close(ticked)
			_ = c.o.Clock.Sleep(tick, reloadEvery)
		}()
		select {
		case <-asked:
		case <-ticked:
		}
		end()
		<-ticked
		if ctx.Err() != nil {
			return
		}
		switch changed, err := c.Reload(); {
		case err != nil:
			c.count(reloadFailed)
			c.o.Log.ErrorContext(ctx, "certificates were not read again; those before are still used", slog.String("error", err.Error()))
		case changed:
			c.count(reloadDone)
			c.o.Log.InfoContext(ctx, "certificates were read again", slog.Time("expires", c.Expires()))
		}
	}
}

// How reading certificates again ended.
const (
	reloadDone   = "done"
	reloadFailed = "failed"
)

func (c *Certificates) count(result string) {
	if c.o.Metrics != nil {
		c.o.Metrics.Reloaded(result)
	}
}
