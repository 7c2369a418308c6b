//go:build integration

package e2etest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
)

// setting is what a case varies; its zero value is a deployment that finishes in seconds.
type setting struct {
	Config      string            // lines of the configuration in addition, or instead of those with the same key
	NoLedger    bool              // ledger.driver none
	Telephone   connectemu.Config // without a rate and a limit of concurrent calls unless the case sets them
	Timeout     time.Duration     // of the function; 0 means 30 s
	Visibility  time.Duration     // of the queue; 0 means 5 s, so that what is returned is soon there again
	MaxReceives int               // before the dead-letter queue; 0 means 10
	WholeBatch  bool              // the mapping does not ask for partial batch responses: a planted defect
	Swept       bool              // a sweep has just run, so that unfinished calls are acknowledged
}

func (s setting) withDefaults() setting {
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	if s.Visibility == 0 {
		s.Visibility = 5 * time.Second
	}
	if s.MaxReceives == 0 {
		s.MaxReceives = 10
	}
	s.Telephone.Credentials = map[string]string{awstest.MinistackAccount: awstest.MinistackSecret}
	if s.Telephone.StartRate == (connectemu.Rate{}) {
		s.Telephone.StartRate = connectemu.Unlimited
	}
	if s.Telephone.MaxConcurrentCalls == 0 {
		s.Telephone.MaxConcurrentCalls = connectemu.Off
	}
	return s
}

// profile is the only one; its ids are those of connectemu.
const profile = `profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

// config returns the text of RINGONCE_CONFIG. Pacing is far above what Amazon Connect permits, since no case is about it.
func (s setting) config(telephone, dynamo, table string) string {
	lines := []string{
		"production: false",
		fmt.Sprintf("connect: {endpoint: %q, timeout: 10s}", telephone),
		fmt.Sprintf("ledger: {driver: dynamodb, table: %s, endpoint: %q, suppressions: all}", table, dynamo),
		"pacing: {per_second: 1000, burst: 1000}",
	}
	if s.NoLedger {
		lines[2] = "ledger: {driver: none}"
	}
	if s.Config != "" {
		lines = append(lines, strings.Split(s.Config, "\n")...)
	}
	return strings.Join(lines, "\n") + "\n" + profile
}
