package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/outbound"
)

// names answers each lookup with the next of its answers, and the last one for ever.
type names struct {
	asked   atomic.Int64
	answers [][]string
}

func (n *names) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := min(int(n.asked.Add(1)), len(n.answers)) - 1
	var all []netip.Addr
	for _, text := range n.answers[i] {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

var errNoNetwork = errors.New("no network in this test")

// dialed keeps what would have been dialed.
func dialed(into *[]string) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, _, address string) (net.Conn, error) {
		*into = append(*into, address)
		return nil, errNoNetwork
	}
}

func TestAddressesThatLeadInsideAreRefusedInEveryForm(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"127.0.0.1", "127.8.9.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1",
		"192.0.2.1", "198.18.0.1", "[::1]", "[::]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[::ffff:127.0.0.1]",
		"[::ffff:169.254.169.254]", "[::ffff:a00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]",
		"2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1", "127.0.1", "017700000001", "0xa9fea9fe", "127.0.0.1.", "0x7f.1", "1.2.3.08", "0x",
	} {
		var tried []string
		c := outbound.New(outbound.Options{Plain: true, Dial: dialed(&tried), Resolver: &names{answers: [][]string{{"127.0.0.1"}}}})
		for _, scheme := range []string{"http", "https"} {
			_, err := c.Get(t.Context(), scheme+"://"+host+"/x")
			if !errors.Is(err, outbound.ErrForbidden) && !errors.Is(err, outbound.ErrAddress) {
				t.Errorf("%s://%s: %v", scheme, host, err)
			}
		}
		if len(tried) > 0 {
			t.Errorf("%s was dialed: %v", host, tried)
		}
	}
}

func TestURLsOfOtherKindsAreRefusedBeforeAnythingIsResolved(t *testing.T) {
	t.Parallel()
	n := &names{answers: [][]string{{"93.184.216.34"}}}
	c := outbound.New(outbound.Options{Resolver: n})
	for _, target := range []string{
		"http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com", "https://user:secret@example.com/", "https://",
		"//example.com", "https:example.com", "", "https://exa mple.com/",
	} {
		if _, err := c.Get(t.Context(), target); !errors.Is(err, outbound.ErrAddress) {
			t.Errorf("%q: %v", target, err)
		}
		if err := c.Check(target); !errors.Is(err, outbound.ErrAddress) {
			t.Errorf("check %q: %v", target, err)
		}
	}
	if n.asked.Load() != 0 {
		t.Error("a name was resolved")
	}
}

func TestOnlyTheAddressThatWasLookedAtIsDialed(t *testing.T) {
	t.Parallel()
	var tried []string
	n := &names{answers: [][]string{{"93.184.216.34"}, {"169.254.169.254"}}}
	c := outbound.New(outbound.Options{Dial: dialed(&tried), Resolver: n})
	if _, err := c.Get(t.Context(), "https://rebind.example/"); !errors.Is(err, errNoNetwork) {
		t.Fatal(err)
	}
	if len(tried) != 1 || tried[0] != "93.184.216.34:443" || n.asked.Load() != 1 {
		t.Errorf("dialed %v after %d lookups", tried, n.asked.Load())
	}
	if _, err := c.Get(t.Context(), "https://rebind.example/"); !errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("the name leads inside now: %v", err)
	}
	if len(tried) != 1 {
		t.Errorf("dialed %v", tried)
	}
}

func TestOneForbiddenAddressSpoilsTheWholeAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range [][]string{{"93.184.216.34", "10.0.0.1"}, {"::ffff:10.0.0.1"}, {"2606:4700::1", "fd00::1"}} {
		var tried []string
		c := outbound.New(outbound.Options{Dial: dialed(&tried), Resolver: &names{answers: [][]string{answer}}})
		if _, err := c.Get(t.Context(), "https://mixed.example/"); !errors.Is(err, outbound.ErrForbidden) || len(tried) > 0 {
			t.Errorf("%v: %v, dialed %v", answer, err, tried)
		}
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16")}

func TestARangeThatIsAllowedIsDialedAndMetadataNever(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/large":
			_, _ = w.Write([]byte(strings.Repeat("x", 100)))
		default:
			_, _ = w.Write([]byte("ok"))
		}
	}))
	t.Cleanup(s.Close)
	c := outbound.New(outbound.Options{Plain: true, Allow: loopback, MostBytes: 99})
	t.Cleanup(c.Close)
	if a, err := c.Get(t.Context(), s.URL); err != nil || string(a.Body) != "ok" || a.Status != 200 {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := c.Get(t.Context(), s.URL+"/away"); err != nil || a.Status != http.StatusFound {
		t.Errorf("a redirect was followed: %+v %v", a, err)
	}
	if _, err := c.Get(t.Context(), s.URL+"/large"); !errors.Is(err, outbound.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	all := outbound.New(outbound.Options{Plain: true, Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, Dial: dialed(new([]string))})
	for _, host := range []string{
		"169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "[fd20:ce::254]", "168.63.129.16", "192.0.0.192", "100.100.100.200", "[::ffff:100.100.100.200]",
		"[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[2001::5601:5601]", "[::a9fe:a9fe]",
	} {
		if _, err := all.Get(t.Context(), "http://"+host+"/"); !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := all.Get(t.Context(), "http://100.64.1.1/"); !errors.Is(err, errNoNetwork) {
		t.Errorf("%v", err)
	}
}

func TestARangeOfNothingButMetadataIsKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"169.254.169.254/32": true, "169.254.0.0/16": true, "fd00:ec2::/64": true, "100.100.100.200/32": true,
		"169.0.0.0/8": false, "10.0.0.0/8": false, "0.0.0.0/0": false, "fd00::/8": false, "100.64.0.0/10": false,
	} {
		if got := outbound.Never(netip.MustParsePrefix(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestAStatusCountsWhateverComesAfterTheHeaders(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = w.Write([]byte(strings.Repeat("x", 1<<20)))
		case "/broken":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
		case "/endless":
			w.(http.Flusher).Flush() //nolint:errcheck // every server's writer is one
			<-stop
		case "/refused":
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte(strings.Repeat("x", 1<<20)))
		case "/silent":
			<-stop
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(stop) })
	c := outbound.New(outbound.Options{Plain: true, Allow: loopback, MostBytes: 99, Timeout: 200 * time.Millisecond})
	t.Cleanup(c.Close)
	for target, want := range map[string]int{
		s.URL + "/": 200, s.URL + "/large": 200, s.URL + "/broken": 200, s.URL + "/endless": 200, s.URL + "/refused": 418, s.URL + "/silent": 0, "http://10.0.0.1/": 0,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Status(r); got != want || (err == nil) != (want != 0) {
			t.Errorf("%s: %d %v, want %d", target, got, err, want)
		}
	}
}

func TestAnAnswerThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush() //nolint:errcheck // every server's writer is one
		<-stop
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(stop) })
	c := outbound.New(outbound.Options{Plain: true, Allow: loopback, Timeout: 50 * time.Millisecond})
	if _, err := c.Get(t.Context(), s.URL+"/secret-path"); err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("%v", err)
	}
}
