package app

import (
	"io"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
)

// WakerRequest is what hints are opened with.
type WakerRequest struct {
	Config      Wake // complete: with Region, and with the queue's ARN where schedules need it
	Credentials aws.CredentialsProvider
	Clock       call.Clock
	Random      io.Reader
}

// OpenWaker opens the way of hints.
type OpenWaker func(r WakerRequest) (call.Waker, error)

// openWaker opens the configured way of hints; nil when there is none.
func (c *Config) openWaker(o Options) (call.Waker, error) {
	if c.Wake.QueueURL == "" || o.ReadOnly {
		return nil, nil //nolint:nilnil // without hints the sweep finds everything
	}
	if o.Waker == nil {
		return nil, c.refuse("wake.queue_url", "Remove it, or run a binary that gives hints.", "is set, and this binary gives no hints.")
	}
	config, err := c.completeWake(o)
	if err != nil {
		return nil, err
	}
	return o.Waker(WakerRequest{Config: config, Credentials: o.credentials(config.Endpoint != ""), Clock: o.Clock, Random: o.Random})
}

// set returns the first key that is set beside wake.queue_url.
func (w Wake) set() string {
	for _, s := range []struct{ key, value string }{
		{"wake.queue_arn", w.QueueARN},
		{"wake.role_arn", w.RoleARN},
		{"wake.schedule_group", w.ScheduleGroup},
		{"wake.region", w.Region},
		{"wake.endpoint", w.Endpoint},
	} {
		if s.value != "" {
			return s.key
		}
	}
	return ""
}

// queue is what the URL or the ARN of a queue says.
type queue struct{ region, account, name string }

// readQueue reads https://sqs.REGION.amazonaws.com/ACCOUNT/NAME; an emulator's and an endpoint's of one's own network name no Region.
func readQueue(address string) (q queue, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return queue{}, false
	}
	if labels := strings.Split(u.Hostname(), "."); len(labels) > 3 && labels[2] == "amazonaws" {
		switch {
		case labels[0] == "sqs" || labels[0] == "sqs-fips":
			q.region = labels[1]
		case labels[1] == "queue":
			q.region = labels[0]
		}
	}
	q.account, q.name, ok = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return q, ok && q.account != "" && madeOf(q.name, "_-", 80)
}

// readARN reads arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE.
func readARN(text, service string) (q queue, ok bool) {
	parts := strings.SplitN(text, ":", 6)
	if len(parts) < 6 {
		return queue{}, false
	}
	q = queue{parts[3], parts[4], parts[5]}
	return q, parts[0] == "arn" && strings.HasPrefix(parts[1], "aws") && parts[2] == service && len(q.account) == 12 && madeOf(q.account, "", 12) && q.name != ""
}

// checkWake checks the settings of hints.
func (c *Config) checkWake() error {
	w := c.Wake
	if w.QueueURL == "" {
		if key := w.set(); key != "" {
			return c.refuse(key, "Set wake.queue_url, or remove it.", "is set and wake.queue_url is not.")
		}
		return nil
	}
	q, ok := readQueue(w.QueueURL)
	arn, isARN := readARN(w.QueueARN, "sqs")
	role, isRole := readARN(w.RoleARN, "iam")
	switch {
	case c.Ledger.Driver == "" || c.Ledger.Driver == "none":
		return c.refuse("wake.queue_url", "Remove it, or configure a ledger.", "needs a ledger, and ledger.driver is none.")
	case strings.HasSuffix(w.QueueURL, ".fifo"):
		return c.refuse("wake.queue_url", "Name a standard queue.", "is a FIFO queue, which takes no delay for a message.")
	case !ok:
		return c.refuse("wake.queue_url", "Write it as https://sqs.REGION.amazonaws.com/ACCOUNT/NAME.", "is no URL of a queue.")
	case c.IsProduction() && !strings.HasPrefix(w.QueueURL, "https://"):
		return c.refuse("wake.queue_url", "Write it with https.", "is not https in a production configuration.")
	case w.QueueARN != "" && (!isARN || arn.name != q.name || (arn.region != q.region && q.region != "")):
		return c.refuse("wake.queue_arn", "Write it as arn:aws:sqs:REGION:ACCOUNT:NAME, or leave it out.", "is no ARN of the queue in wake.queue_url.")
	case w.Region != "" && q.region != "" && w.Region != q.region:
		return c.refuse("wake.region", "Remove it.", "is another Region than that of wake.queue_url.")
	case w.RoleARN != "" && (!isRole || !strings.HasPrefix(role.name, "role/")):
		return c.refuse("wake.role_arn", "Write it as arn:aws:iam::ACCOUNT:role/NAME.", "is no ARN of a role.")
	case w.ScheduleGroup != "" && w.RoleARN == "":
		return c.refuse("wake.schedule_group", "Set wake.role_arn, or remove it.", "is set and wake.role_arn is not, so no schedules are made.")
	case w.ScheduleGroup != "" && !madeOf(w.ScheduleGroup, "_.-", 64): // EventBridge Scheduler API reference, CreateSchedule
		return c.refuse("wake.schedule_group", "Use up to 64 of letters, digits, _, . and -.", "is no name of a group.")
	}
	return c.checkEndpoint("wake.endpoint", w.Endpoint)
}

// completeWake fills in the Region and the ARN of the queue.
func (c *Config) completeWake(o Options) (Wake, error) {
	w := c.Wake
	q, _ := readQueue(w.QueueURL)
	if w.Region == "" {
		w.Region = q.region
	}
	if arn, ok := readARN(w.QueueARN, "sqs"); w.Region == "" && ok {
		w.Region = arn.region
	}
	if w.Region == "" {
		w.Region, _ = o.LookupEnv("AWS_REGION")
	}
	if w.Region == "" {
		return w, c.refuse("wake.region", "Name the Region of the queue, or set AWS_REGION.", "is missing.")
	}
	if w.QueueARN == "" {
		w.QueueARN = "arn:" + partition(w.Region) + ":sqs:" + w.Region + ":" + q.account + ":" + q.name
	}
	if _, ok := readARN(w.QueueARN, "sqs"); w.RoleARN != "" && !ok {
		return w, c.refuse("wake.queue_arn", "Write it as arn:aws:sqs:REGION:ACCOUNT:NAME.", "is missing, and wake.queue_url names no account.")
	}
	return w, nil
}

// partition returns the part of AWS that a Region belongs to, as ARNs name it.
func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}
