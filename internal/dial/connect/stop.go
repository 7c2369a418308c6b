package connect

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// Stop hangs a contact up (StopContact). A contact that has already ended, or that the service does not know, is no error:
// there is nothing left to stop.
func (d *Dialer) Stop(ctx context.Context, t call.Target, contactID string) error {
	if err := checkContactID(contactID); err != nil {
		return err
	}
	return d.read(ctx, "hang a contact up", t, func(ctx context.Context, client *awsconnect.Client) error {
		_, err := client.StopContact(ctx, &awsconnect.StopContactInput{
			InstanceId: aws.String(t.InstanceID), ContactId: aws.String(contactID),
		})
		if isNamed(err, "ContactNotFound") {
			return nil
		}
		return err
	})
}
