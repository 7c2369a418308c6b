package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// forward is the function between Amazon Connect and the service (examples/flow).
func (s *served) forward(bearer string) connectemu.FlowFunction {
	return func(ctx context.Context, document []byte) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/flow-reports", bytes.NewReader(document))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("answered %d, %w", response.StatusCode, err)
		}
		return answer, nil
	}
}

// Nobody answers the first phone, the second one is answered and 1 is pressed. Whoever forwards that and was not granted it changes nothing: the list goes on.
func TestAnEscalationListOfTheServiceStopsAfterAConfirmedKeyPress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reporters string
		third     int
	}{"granted": {"[flow]", 0}, "not granted": {"[]", 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			d.add(fmt.Sprintf("access: {keys_file: %q, flow_reporters: %s}\nsweep: {every: 1s}\n", filepath.Join(d.dir, "keys.json"), c.reporters))
			crm, _ := d.run(ExitOK, "access", "key", "add", "--producer", "crm")
			flow, _ := d.run(ExitOK, "access", "key", "add", "--producer", "flow")
			talks := func(c *connectemu.Config) {
				c.RingTime, c.TalkTime, c.DescribeRate = 5*time.Second, time.Minute, connectemu.Unlimited
			}
			if err := d.telephone.Update(talks); err != nil {
				t.Fatal(err)
			}
			number := func(n int) string { return "+" + strconv.Itoa(819000000000+n) }
			if err := d.telephone.SetPhone(number(1), connectemu.FateNoAnswer); err != nil {
				t.Fatal(err)
			}
			if err := d.telephone.SetKeys(number(2), "1"); err != nil {
				t.Fatal(err)
			}
			s := d.serve()
			d.flow = s.forward(strings.TrimSpace(flow))
			body := fmt.Sprintf(`{"notificationId":"n","recipientId":"r-1","destinationPhoneNumber":%q,"escalation":[{"recipientId":"r-2","destinationPhoneNumber":%q},{"recipientId":"r-3","destinationPhoneNumber":%q}]}`,
				number(1), number(2), number(3))
			if got := s.send(http.MethodPost, "/v1/calls", strings.TrimSpace(crm), body); got != http.StatusAccepted {
				t.Fatal(got)
			}
			d.live(time.Second, func() bool { return len(d.telephone.RingsFor(number(3))) > 0 || c.third == 0 && d.confirmed() })
			d.live(time.Minute, d.passes(3*time.Hour))
			for n, want := range map[int]int{1: 1, 2: 1, 3: c.third} {
				if got := len(d.telephone.RingsFor(number(n))); got != want {
					t.Errorf("phone %d rang %d times, want %d; flows were told %+v", n, got, want, d.telephone.FlowReports())
				}
			}
			s.stop()
		})
	}
}

// confirmed reports whether a flow was told that its confirmation is kept.
func (d *desk) confirmed() bool {
	reports := d.telephone.FlowReports()
	return len(reports) > 0 && reports[len(reports)-1].Answer["confirmed"] == "yes"
}

// passes reports whether so much time has passed.
func (d *desk) passes(wait time.Duration) func() bool {
	end := d.clock.Now().Add(wait)
	return func() bool { return !d.clock.Now().Before(end) }
}

// live lets time pass, step by step, beside a service that sweeps once a second of the machine, until something is so.
func (d *desk) live(step time.Duration, until func() bool) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); !until(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatal("it does not come to that")
		}
		d.clock.advance(step)
		d.telephone.StepFlows(d.t.Context())
	}
}
