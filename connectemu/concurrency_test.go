package connectemu_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
)

func TestConcurrentRequestsOfOneTokenRingOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	client := w.newClient(func(o *connect.Options) { o.HTTPClient = &http.Client{Transport: w.server.RoundTripper()} })
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 20 {
				in := input(answers)
				in.ClientToken = aws.String(fmt.Sprintf("token-%d", n))
				if _, err := client.StartOutboundVoiceContact(t.Context(), in); err != nil {
					t.Errorf("start: %v", err)
				}
				switch (i + n) % 4 {
				case 0:
					w.server.Rings()
					w.server.RingsByAttribute("a", "b")
				case 1:
					w.server.Contacts()
					w.clock.Advance(time.Millisecond)
				case 2:
					w.server.Requests()
					w.plan()
				case 3:
					if err := w.server.Update(func(c *connectemu.Config) { c.Reading = connectemu.A1 }); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	w.wantRings(20)
	if got := len(w.server.Requests()); got != 160 {
		t.Errorf("requests: got %d, want 160", got)
	}
}

func TestWholeWeekInsideABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, err := connectemu.New(connectemu.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		client := connect.New(connect.Options{
			Region: connectemu.DefaultRegion, BaseEndpoint: aws.String("http://connect.test"), Retryer: aws.NopRetryer{},
			Credentials: staticCredentials("test", "test"), HTTPClient: &http.Client{Transport: server.RoundTripper()},
			HTTPSignerV4: v4.NewSigner(),
		})
		for range 8 { // one request a day: the last finds the token dead
			in := input(answers)
			in.ClientToken = aws.String("token")
			if _, err := client.StartOutboundVoiceContact(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			time.Sleep(day)
		}
		if got := server.RingCount(); got != 2 {
			t.Errorf("rings: got %d, want 2", got)
		}
	})
}
