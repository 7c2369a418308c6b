package kmskey

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"github.com/ringonce/ringonce/internal/call"
)

// DefaultTimeout bounds one request. KMS answers in some 10 ms.
const DefaultTimeout = 3 * time.Second

// keySize is the length of a data key for AES-256.
const keySize = 32

// Options are the settings of Keys.
type Options struct {
	// Credentials sign the requests. They are cached here.
	Credentials aws.CredentialsProvider
	// Endpoint replaces the address of KMS, for an emulator; empty in production.
	Endpoint string
	// HTTPClient replaces the package's own. It must not retry or follow redirects.
	HTTPClient awskms.HTTPClient
	// Timeout ends one request; zero means DefaultTimeout.
	Timeout time.Duration
	// Clock times the pauses between the tries of a request.
	Clock call.Clock
}

// Keys makes and opens data keys. It is safe for concurrent use.
type Keys struct {
	options Options

	mu      sync.Mutex
	clients map[string]*awskms.Client // by Region
}

// New returns Keys. It costs nothing: a client is made at its first use.
func New(o Options) *Keys {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	return &Keys{options: o, clients: map[string]*awskms.Client{}}
}

// Make returns a new data key of 32 bytes, what KMS made of it under the key that master names (the ARN of a key or of an alias), and the
// ARN of that key. Only who names the same encryption context can open it again.
func (k *Keys) Make(ctx context.Context, master string, binding map[string]string) (plain, sealed []byte, arn string, err error) {
	client, err := k.client(master)
	if err != nil {
		return nil, nil, "", err
	}
	in := &awskms.GenerateDataKeyInput{KeyId: &master, KeySpec: types.DataKeySpecAes256, EncryptionContext: binding}
	out, err := ask(ctx, k, in, client.GenerateDataKey)
	if err != nil {
		return nil, nil, "", explain(ctx, err, master, "kms:GenerateDataKey")
	}
	arn = aws.ToString(out.KeyId)
	if len(out.Plaintext) != keySize || len(out.CiphertextBlob) == 0 || regionOf(arn) == "" {
		return nil, nil, "", unavailable(nil, "Look at the endpoint: this is not what AWS KMS answers.", "AWS KMS answered without a data key under %s.", master)
	}
	return out.Plaintext, out.CiphertextBlob, arn, nil
}

// Open returns the 32 bytes of a data key that Make sealed under the key of this ARN with this encryption context.
func (k *Keys) Open(ctx context.Context, arn string, sealed []byte, binding map[string]string) ([]byte, error) {
	client, err := k.client(arn)
	if err != nil {
		return nil, err
	}
	in := &awskms.DecryptInput{KeyId: &arn, CiphertextBlob: sealed, EncryptionContext: binding}
	out, err := ask(ctx, k, in, client.Decrypt)
	if err != nil {
		return nil, explain(ctx, err, arn, "kms:Decrypt")
	}
	if len(out.Plaintext) != keySize {
		return nil, unavailable(nil, "Restore the item of the data key from a backup.", "What AWS KMS decrypted under %s is no data key.", arn)
	}
	return out.Plaintext, nil
}

// client returns the client of the Region that an ARN names. It is made from its options, without the SDK's configuration loader: that
// one reads files and the environment, and the environment must not move a key.
func (k *Keys) client(arn string) (*awskms.Client, error) {
	region := regionOf(arn)
	if region == "" {
		return nil, unavailable(nil, "Name a key or an alias by its ARN.", "%q is not the ARN of a KMS key.", arn)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if client, ok := k.clients[region]; ok {
		return client, nil
	}
	options := awskms.Options{
		Region: region, Credentials: aws.NewCredentialsCache(k.options.Credentials), HTTPClient: k.options.HTTPClient, Retryer: aws.NopRetryer{},
	}
	if k.options.Endpoint != "" {
		options.BaseEndpoint = &k.options.Endpoint
	}
	if options.HTTPClient == nil {
		options.HTTPClient = &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: 10 * time.Second, TLSHandshakeTimeout: 2 * time.Second},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	client := awskms.New(options)
	k.clients[region] = client
	return client, nil
}
