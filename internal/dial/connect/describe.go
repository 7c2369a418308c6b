package connect

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/internal/call"
	contactoutcome "github.com/ringonce/ringonce/internal/outcome"
)

// Describe returns a contact by its id and what became of it (DescribeContact, 10 requests a second), or an error that wraps [call.ErrNotFound].
// Amazon Connect keeps contacts for 24 months. It answers an instance that does not exist in the same way.
func (d *Dialer) Describe(ctx context.Context, t call.Target, contactID string) (call.Contact, error) {
	if err := checkContactID(contactID); err != nil {
		return call.Contact{}, err
	}
	var contact call.Contact
	err := d.read(ctx, "describe a contact", t, func(ctx context.Context, client *awsconnect.Client) error {
		output, err := client.DescribeContact(ctx, &awsconnect.DescribeContactInput{
			InstanceId: aws.String(t.InstanceID), ContactId: aws.String(contactID),
		})
		switch {
		case isNamed(err, "ResourceNotFound", "ContactNotFound"):
			return nil
		case err != nil:
			return err
		case output.Contact == nil: // the member is required (DescribeContact, Contact)
			return errIncomplete
		}
		c := output.Contact
		contact = call.Contact{
			ID: aws.ToString(c.Id), CallID: c.Attributes[CallIDAttribute], Name: aws.ToString(c.Name),
			Initiated: instant(c.InitiationTimestamp), Disconnected: instant(c.DisconnectTimestamp), Sight: sightOf(c),
		}
		return nil
	})
	if err != nil {
		return call.Contact{}, err
	}
	if contact.ID == "" {
		return call.Contact{}, fmt.Errorf("contact %.64q of Amazon Connect: %w", contactID, call.ErrNotFound)
	}
	return contact, nil
}

// sightOf returns what a description tells of the contact's life.
func sightOf(c *types.Contact) call.Sight {
	told := contactoutcome.Told{
		Initiated: instant(c.InitiationTimestamp), Connected: instant(c.ConnectedToSystemTimestamp), Disconnected: instant(c.DisconnectTimestamp),
		Updated: instant(c.LastUpdateTimestamp), Reason: aws.ToString(c.DisconnectReason), Machine: string(c.AnsweringMachineDetectionStatus),
	}
	if c.QueueInfo != nil {
		told.Queued = instant(c.QueueInfo.EnqueueTimestamp)
	}
	if c.AgentInfo != nil {
		told.Agent = instant(c.AgentInfo.ConnectedToAgentTimestamp)
	}
	return told.Sight()
}

// instant returns the time in UTC, or the zero time for none.
func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
