// Package awswake opens the hints on AWS. It is apart from package app so that a binary links the clients of SQS and EventBridge Scheduler
// only when it asks for them.
package awswake

import (
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/wake/awsscheduler"
)

// Open is an app.OpenWaker. It connects to nothing: that happens with the first hint.
func Open(r app.WakerRequest) (call.Waker, error) {
	waker, err := awsscheduler.New(awsscheduler.Options{
		QueueURL: r.Config.QueueURL, QueueARN: r.Config.QueueARN, RoleARN: r.Config.RoleARN, Group: r.Config.ScheduleGroup,
		Region: r.Config.Region, Endpoint: r.Config.Endpoint, Credentials: r.Credentials, Clock: r.Clock, Random: r.Random,
	})
	if err != nil {
		return nil, err
	}
	return waker, nil
}
