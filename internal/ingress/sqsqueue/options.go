package sqsqueue

import (
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/internal/call"
)

// DefaultVisibility is how long a received message stays invisible before it is renewed or, when this process dies, comes back.
const DefaultVisibility = 10 * time.Minute

// Options are the settings of a queue.
type Options struct {
	URL         string // of the queue, as the console shows it
	Region      string // empty means the one in the URL
	Credentials aws.CredentialsProvider
	Endpoint    string        // replaces the address of SQS, for an emulator; empty in production
	Clock       call.Clock    // times the renewals
	Visibility  time.Duration // zero means DefaultVisibility
	HTTPClient  sqs.HTTPClient
}

// region finds the Region in the host names of queues: sqs.REGION.amazonaws.com, the older REGION.queue.amazonaws.com, and those of VPC
// endpoints (SQS developer guide, "Endpoints").
var region = regexp.MustCompile(`^(?:.*\.)?sqs(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-[0-9]+)\.(?:vpce\.)?(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws)$|^([a-z]{2}(?:-[a-z]+)+-[0-9]+)\.queue\.amazonaws\.com$`)

// RegionOf returns the Region that the host name of a queue's URL names, or nothing.
func RegionOf(queueURL string) string {
	u, err := url.Parse(queueURL)
	if err != nil {
		return ""
	}
	found := region.FindStringSubmatch(u.Hostname())
	if found == nil {
		return ""
	}
	return found[1] + found[2]
}

// complete fills the defaults and refuses what is no queue.
func (o Options) complete() (Options, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || len(u.Path) < 2 {
		return o, refuse(call.CodeConfiguration, "Copy the URL of the queue from the SQS console; it begins with https://sqs.", "The address of the queue is no URL.")
	}
	named := RegionOf(o.URL)
	switch {
	case o.Endpoint == "" && (named == "" || u.Scheme != "https"):
		return o, refuse(call.CodeConfiguration, "Copy the URL of the queue from the SQS console; it begins with https://sqs.", "The URL names no queue of SQS.")
	case o.Region == "" || named != "": // the queue is where its URL says
		o.Region = named
	}
	if o.Region == "" {
		return o, refuse(call.CodeConfiguration, "Set AWS_REGION or ledger.region.", "The Region of the queue is not known.")
	}
	if o.Visibility == 0 {
		o.Visibility = DefaultVisibility
	}
	return o, nil
}

// CodeQueueUnavailable says that SQS did not do what it was asked.
const CodeQueueUnavailable call.Code = "queue_unavailable"

func refuse(code call.Code, fix, format string, args ...any) *call.Error {
	return &call.Error{Code: code, Field: "--queue", Message: fmt.Sprintf(format, args...), Fix: fix}
}
