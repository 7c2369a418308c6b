package kmskey

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
)

// stillClock never moves; it counts what was slept on it.
type stillClock struct{ slept time.Duration }

func (*stillClock) Now() time.Time { return time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC) }

func (c *stillClock) Sleep(ctx context.Context, d time.Duration) error {
	c.slept += d
	return ctx.Err()
}

var here = map[string]string{"ringonce-table": "calls"}

func on(s *kmstest.Service) (*Keys, *stillClock) {
	clock := &stillClock{}
	return New(Options{HTTPClient: s, Clock: clock, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})}), clock
}

func TestAKeyThatWasMadeOpensInItsContextAlone(t *testing.T) {
	t.Parallel()
	k, _ := on(kmstest.New())
	plain, sealed, arn, err := k.Make(t.Context(), kmstest.Alias, here)
	if err != nil || arn != kmstest.KeyARN || len(plain) != keySize {
		t.Fatalf("made %d bytes under %s, error %v", len(plain), arn, err)
	}
	if bytes.Contains(sealed, plain) {
		t.Error("the sealed form shows the key")
	}
	if again, err := k.Open(t.Context(), arn, sealed, here); err != nil || !bytes.Equal(again, plain) {
		t.Errorf("opened as another key, error %v", err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another table": func() ([]byte, error) {
			return k.Open(t.Context(), arn, sealed, map[string]string{"ringonce-table": "other"})
		},
		"another key": func() ([]byte, error) { return k.Open(t.Context(), kmstest.Other, sealed, here) },
		"other bytes": func() ([]byte, error) { return k.Open(t.Context(), arn, append(bytes.Clone(sealed), 0), here) },
	} {
		if got, err := open(); err == nil || call.CodeOf(err) != call.CodeLedgerUnavailable {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
	}
}

// TestEveryRefusalOfKMSSaysWhatToDo also holds that only what may pass is asked for again.
func TestEveryRefusalOfKMSSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for refusal, want := range map[kmstest.Refusal]struct {
		says  string
		asked int
	}{
		kmstest.Lost: {"did not answer", 3}, kmstest.Internal: {"did not answer", 3}, "ThrottlingException": {"did not answer", 3},
		"KeyUnavailableException": {"did not answer", 3}, "DependencyTimeoutException": {"did not answer", 3},
		"AccessDeniedException": {"kms:GenerateDataKey", 1}, "DisabledException": {"disabled or about to be deleted", 1},
		"KMSInvalidStateException": {"disabled or about to be deleted", 1}, "NotFoundException": {"does not exist", 1},
		"InvalidKeyUsageException": {"cannot make data keys", 1}, "ExpiredTokenException": {"credentials", 1}, "InvalidCiphertextException": {"stored data key", 1},
		"SomethingNewException": {"did not answer", 1},
	} {
		s := kmstest.New()
		k, clock := on(s)
		s.Break(func(string) kmstest.Refusal { return refusal })
		_, _, _, err := k.Make(t.Context(), kmstest.KeyARN, here)
		shown, ok := errors.AsType[*call.Error](err)
		if !ok || shown.Code != call.CodeLedgerUnavailable || shown.Field != "ledger.kms_key" || shown.Fix == "" || !strings.Contains(shown.Message, want.says) {
			t.Errorf("%s: %v, want %q", refusal, err, want.says)
		}
		if ok && refusal != "ExpiredTokenException" && !strings.Contains(shown.Message, kmstest.KeyARN) {
			t.Errorf("%s: %v does not name the key", refusal, err)
		}
		if got := s.Taken(); !maps.Equal(got, map[string]int{"GenerateDataKey": want.asked}) {
			t.Errorf("%s: asked %v, want %d", refusal, got, want.asked)
		}
		if pauses := 150 * time.Millisecond; (clock.slept == pauses) != (want.asked == tries) {
			t.Errorf("%s: slept %s", refusal, clock.slept)
		}
	}
}

func TestAFailureThatPassesIsNotNoticed(t *testing.T) {
	t.Parallel()
	for _, refusal := range []kmstest.Refusal{kmstest.Lost, kmstest.Internal, "ThrottlingException"} {
		s := kmstest.New()
		k, _ := on(s)
		n := 0
		s.Break(func(string) kmstest.Refusal {
			if n++; n%3 != 0 {
				return refusal
			}
			return ""
		})
		plain, sealed, arn, err := k.Make(t.Context(), kmstest.KeyARN, here)
		if err != nil {
			t.Fatalf("%s: %v", refusal, err)
		}
		if again, err := k.Open(t.Context(), arn, sealed, here); err != nil || !bytes.Equal(plain, again) {
			t.Errorf("%s: %v", refusal, err)
		}
	}
}

func TestAnEndedContextAsksNothing(t *testing.T) {
	t.Parallel()
	s := kmstest.New()
	k, _ := on(s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := k.Make(ctx, kmstest.KeyARN, here); !errors.Is(err, context.Canceled) || len(s.Taken()) > 0 {
		t.Errorf("%v", err)
	}
}

// hosts remembers where requests go.
type hosts struct {
	*kmstest.Service

	met []string
}

func (h *hosts) Do(r *http.Request) (*http.Response, error) {
	h.met = append(h.met, r.URL.Host)
	return h.Service.Do(r)
}

// TestTheRegionIsThatOfTheKey also holds that nothing but an ARN leads anywhere.
func TestTheRegionIsThatOfTheKey(t *testing.T) {
	t.Parallel()
	h := &hosts{Service: kmstest.New()}
	k, _ := on(h.Service)
	k.options.HTTPClient = h
	for _, arn := range []string{kmstest.KeyARN, "arn:aws-cn:kms:cn-north-1:111122223333:key/a"} {
		_, _, _, _ = k.Make(t.Context(), arn, here) // the second key is in no KMS
	}
	if want := []string{"kms.eu-west-1.amazonaws.com", "kms.cn-north-1.amazonaws.com.cn"}; strings.Join(h.met, " ") != strings.Join(want, " ") {
		t.Errorf("asked %q, want %q", h.met, want)
	}
	for _, arn := range []string{"", "alias/ringonce", "arn:aws:s3:::bucket", "arn:aws:kms:evil.example/x:111122223333:key/a", "arn:aws:kms:us-east-1:111122223333:grant/a", "arn:aws:kms::111122223333:key/a"} {
		if _, err := k.Open(t.Context(), arn, []byte("x"), here); call.CodeOf(err) != call.CodeLedgerUnavailable {
			t.Errorf("%q: %v", arn, err)
		}
	}
	if len(h.met) != 2 {
		t.Errorf("asked %q", h.met)
	}
}
