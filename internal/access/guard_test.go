package access_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

func TestAProducerThatAsksTooOftenWaitsAndTheOthersDoNot(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	crm, _ := l.add(access.Scope{Producer: "crm", Rate: access.Rate{PerSecond: 0.5, Burst: 3}}, time.Time{})
	second, _ := l.add(access.Scope{Producer: "crm", Rate: access.Rate{PerSecond: 0.5, Burst: 3}}, time.Time{})
	shop, _ := l.add(access.Scope{Producer: "shop"}, time.Time{})
	h := l.guard()
	for i := range 3 {
		if w := ask(h, bearer([]string{crm, second}[i%2])); w.Code != http.StatusOK {
			t.Fatalf("request %d: %d", i, w.Code)
		}
	}
	w := ask(h, bearer(second))
	if wait, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != http.StatusTooManyRequests || err != nil || wait != 2 {
		t.Fatalf("%d, Retry-After %q: the bucket is the producer's, not the key's", w.Code, w.Header().Get("Retry-After"))
	}
	if ask(h, bearer(shop)).Code != http.StatusOK {
		t.Error("another producer waits too")
	}
	l.clock.move(2 * time.Second)
	if ask(h, bearer(crm)).Code != http.StatusOK || ask(h, bearer(crm)).Code != http.StatusTooManyRequests {
		t.Error("one more after the wait, and no second one")
	}
}

func TestAnAddressThatGuessesIsSlowedDownAndNobodyWithAGoodCredentialIs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	good, _ := l.add(access.Scope{Producer: "crm"}, time.Time{})
	h := l.guard(func(o *access.Options) { o.Failures = access.Rate{PerSecond: 1, Burst: 4} })
	from := func(address, text string) func(*http.Request) {
		return func(r *http.Request) { bearer(text)(r); r.RemoteAddr = address }
	}
	for i := range 4 {
		if w := ask(h, from("[2001:db8:1:1::"+strconv.Itoa(i+1)+"]:99", "x")); w.Code != http.StatusUnauthorized {
			t.Fatal(w.Code)
		}
	}
	w := ask(h, from("[2001:db8:1:1::9]:99", "x"))
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d", w.Code)
	}
	if w := ask(h, from("[2001:db8:1:2::9]:99", "x")); w.Code != http.StatusUnauthorized {
		t.Errorf("another network: %d", w.Code)
	}
	for range 100 {
		if w := ask(h, from("[2001:db8:1:1::9]:99", good)); w.Code != http.StatusOK {
			t.Fatalf("a good credential behind an address that guesses, as behind one proxy: %d", w.Code)
		}
	}
	l.clock.move(time.Second)
	if w := ask(h, from("[2001:db8:1:1::9]:99", "x")); w.Code != http.StatusUnauthorized {
		t.Errorf("after the wait: %d", w.Code)
	}
}

func TestGuessesFromMoreAddressesThanAreCountedKeepNobodyOut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	good, _ := l.add(access.Scope{Producer: "crm"}, time.Time{})
	h := l.guard(func(o *access.Options) { o.Failures = access.Rate{PerSecond: 1, Burst: 1} })
	for i := range 10_050 {
		ask(h, func(r *http.Request) {
			bearer("x")(r)
			r.RemoteAddr = "[2001:db8:2:" + strconv.FormatInt(int64(i), 16) + "::1]:99"
		})
	}
	w := ask(h, func(r *http.Request) { bearer(good)(r); r.RemoteAddr = "192.0.2.1:99" })
	if w.Code != http.StatusOK {
		t.Errorf("a good credential from elsewhere: %d", w.Code)
	}
}

func TestAKeyIsGoodAsSoonAsItIsInTheFileAndNoLongerThanItIs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	h := l.guard()
	first, record := l.add(access.Scope{Producer: "crm"}, time.Time{})
	if ask(h, bearer(first)).Code != http.StatusUnauthorized {
		t.Error("the file is looked at more than once a second")
	}
	l.clock.move(time.Second)
	if ask(h, bearer(first)).Code != http.StatusOK {
		t.Error("a new key is not seen")
	}
	second, _, err := l.file.Rotate(record.Prefix, time.Hour, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	l.clock.move(time.Second)
	if ask(h, bearer(first)).Code != http.StatusOK || ask(h, bearer(second)).Code != http.StatusOK {
		t.Error("both keys are good while the producer changes over")
	}
	if _, _, err := l.file.Rotate(record.Prefix, time.Hour, time.Time{}); !errors.Is(err, &call.Error{Code: call.CodeFieldValue}) && call.CodeOf(err) != call.CodeFieldValue {
		t.Errorf("a third live key: %v", err)
	}
	l.clock.move(time.Hour)
	if ask(h, bearer(first)).Code != http.StatusUnauthorized || ask(h, bearer(second)).Code != http.StatusOK {
		t.Error("the old key outlives its overlap")
	}
	if err := os.WriteFile(l.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.clock.move(time.Second)
	if ask(h, bearer(second)).Code != http.StatusOK || !strings.Contains(l.log.String(), "keys of before stay") {
		t.Error("a spoiled file locks producers out, or nobody is told")
	}
}

func TestTheFileOfKeysHoldsNoKeyAndIsReadStrictly(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	text, record := l.add(access.Scope{Producer: "crm", Reads: []string{"calls"}}, time.Time{})
	kept, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(kept), text[16:68]) || !strings.Contains(string(kept), record.SHA256) {
		t.Error("the file holds the secret, or not its hash")
	}
	if info, err := os.Stat(l.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	good := string(kept)
	for name, change := range map[string]string{
		"an unknown member": strings.Replace(good, `"created"`, `"x":1,"created"`, 1), "a member twice": strings.Replace(good, `"created"`, `"prefix":"aaaaaaaaaaaa","created"`, 1),
		"another version": strings.Replace(good, `"version": 1`, `"version": 2`, 1), "a short hash": strings.Replace(good, record.SHA256, record.SHA256[:62], 1),
		"no JSON": "keys: []", "more behind": good + "{}", "a name with a slash": strings.Replace(good, `"crm"`, `"a/b"`, 1),
	} {
		if change == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := os.WriteFile(l.path, []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := access.OpenKeys(l.path, l.clock, l.logger()); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Chmod(l.path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := access.OpenKeys(l.path, l.clock, l.logger()); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("a file everybody can write: %v", err)
	}
}

func TestTwoEditorsLoseNoKey(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, _, err := l.file.Add(access.Scope{Producer: "p" + strconv.Itoa(i)}, time.Time{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if records, _, err := l.file.List(); err != nil || len(records) != 20 {
		t.Errorf("%d keys, %v", len(records), err)
	}
}

func TestTheDayOfTheLastUseIsKeptBesideTheKeys(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	text, record := l.add(access.Scope{Producer: "crm"}, time.Time{})
	h := l.guard()
	ask(h, bearer(text))
	if err := l.keys.Close(); err != nil {
		t.Fatal(err)
	}
	if _, used, err := l.file.List(); err != nil || !used[record.Prefix].Equal(start.Truncate(24*time.Hour)) {
		t.Errorf("%v %v", used, err)
	}
}

func TestKeysOfAnIssuerAreFetchedSeldomAndKeptWhenItIsDown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	fetched, down := 0, false
	h := l.guard(func(o *access.Options) {
		o.Issuers = []access.Issuer{{URL: issuer, Audience: audience, Kind: access.Producer, JWKSURL: "https://issuer.example/keys", Producers: map[string]string{"svc-crm": "crm"}}}
		o.Fetch = func(context.Context, string) ([]byte, error) {
			if fetched++; down {
				return nil, errors.New("down")
			}
			return l.set(), nil
		}
	})
	now := func() object {
		return object{"iat": l.clock.Now().Unix(), "exp": l.clock.Now().Add(time.Minute).Unix()}
	}
	for range 5 {
		if ask(h, bearer(l.token(now()))).Code != http.StatusOK {
			t.Fatal("a good token is refused")
		}
		ask(h, bearer(forge(object{"alg": "RS256", "kid": "made-up"}, claims(nil), byRSA(l.rsa))))
	}
	if fetched != 1 {
		t.Errorf("%d fetches within a minute", fetched)
	}
	down = true
	l.clock.move(2 * time.Hour)
	if ask(h, bearer(l.token(now()))).Code != http.StatusOK || fetched != 2 {
		t.Errorf("an issuer that is down takes its tokens with it; %d fetches", fetched)
	}
	l.clock.move(23 * time.Hour)
	if ask(h, bearer(l.token(now()))).Code != http.StatusUnauthorized {
		t.Error("keys of yesterday are believed for ever")
	}
}

func TestAKeySetThatHoldsASecretIsNotUsed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for name, set := range map[string]string{
		"symmetric": `{"keys":[{"kty":"oct","kid":"rsa","k":"c2VjcmV0","alg":"HS256"}]}`, "private": `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"rsa","x":"x","d":"y"}]}`,
		"empty": `{"keys":[]}`, "no set": `[]`, "large": `{"keys":[],"x":"` + strings.Repeat("x", 300<<10) + `"}`, "a member twice": `{"keys":[],"keys":[]}`,
	} {
		if err := os.WriteFile(l.jwks, []byte(set), 0o600); err != nil {
			t.Fatal(err)
		}
		if w := ask(l.guard(), bearer(l.token(nil))); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

func TestAGuardThatOpensNothingOrEverythingIsNotMade(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.guard()
	good := access.Issuer{URL: issuer, Audience: audience, Kind: access.Producer, JWKSFile: l.jwks, Producers: map[string]string{"a": "b"}}
	with := func(change func(*access.Issuer)) access.Options {
		i := good
		change(&i)
		return access.Options{Issuers: []access.Issuer{i}}
	}
	for name, o := range map[string]access.Options{
		"nothing": {}, "keys and no keys": {Keys: l.keys, Local: &access.LocalOptions{}}, "no audience": with(func(i *access.Issuer) { i.Audience = "" }),
		"HMAC": with(func(i *access.Issuer) { i.Algorithms = []string{"HS256"} }), "none": with(func(i *access.Issuer) { i.Algorithms = []string{"none"} }),
		"no issuer": with(func(i *access.Issuer) { i.URL = "" }), "no kind": with(func(i *access.Issuer) { i.Kind = "" }),
		"two places of keys": with(func(i *access.Issuer) { i.JWKSURL = "https://x.example" }), "http": with(func(i *access.Issuer) { i.JWKSFile, i.JWKSURL = "", "http://x.example" }),
		"no producers": with(func(i *access.Issuer) { i.Producers = nil }), "operators without roles": with(func(i *access.Issuer) { i.Kind = access.Operator }),
		"an unknown role": with(func(i *access.Issuer) { i.Kind, i.Roles = access.Operator, map[string]access.Role{"x": "root"} }),
		"issuer twice":    {Issuers: []access.Issuer{good, good}}, "no fetch": with(func(i *access.Issuer) { i.JWKSFile, i.JWKSURL = "", "https://x.example" }),
		"a space nobody granted": {Keys: l.keys, Scopes: []access.Scope{{Producer: "a", KeySpace: "b"}}},
	} {
		o.Clock, o.Log = l.clock, l.logger()
		if _, err := access.NewGuard(o); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s: %v", name, err)
		}
	}
}
