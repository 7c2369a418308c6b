package connect

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	searchPage  = 100             // MaxResults of SearchContacts
	searchPages = 10              // a name belongs to one call; more pages than this are somebody else's contacts
	searchPause = 2 * time.Second // SearchContacts allows half a request a second (service quotas)
)

// Search returns the contacts that carry the call id in their Name, began by API and in [from, to]. Their CallID is the call
// id that was asked for: SearchContacts returns no attributes. It may not show contacts that still last, so an empty answer
// proves nothing. Between pages it waits for 2 s on the injected clock.
func (d *Dialer) Search(ctx context.Context, t call.Target, callID string, from, to time.Time) ([]call.Contact, error) {
	name := NamePrefix + callID
	if callID == "" || len(name) > MaxNameLength {
		return nil, refuse(call.CodeFieldValue, "callId", "Use the row id of the call.", "The call id cannot be the name of a contact.")
	}
	input := awsconnect.SearchContactsInput{
		InstanceId: aws.String(t.InstanceID),
		MaxResults: aws.Int32(searchPage),
		TimeRange: &types.SearchContactsTimeRange{
			Type: types.SearchContactsTimeRangeTypeInitiationTimestamp, StartTime: &from, EndTime: &to,
		},
		SearchCriteria: &types.SearchCriteria{
			InitiationMethods: []types.ContactInitiationMethod{types.ContactInitiationMethodApi},
			Name:              &types.NameCriteria{SearchText: []string{name}, MatchType: types.SearchContactsMatchTypeMatchExact},
		},
	}
	var found []call.Contact
	for page := range searchPages {
		if page > 0 {
			if err := d.options.Clock.Sleep(ctx, searchPause); err != nil {
				return nil, readError(ctx, "search for contacts", err)
			}
		}
		next, err := d.searchPage(ctx, t, input, callID, &found)
		if err != nil || next == "" {
			return found, err
		}
		input.NextToken = aws.String(next)
	}
	if len(found) == 0 { // not looked through to its end, so its silence says nothing
		return nil, readError(ctx, "search for contacts", errIncomplete)
	}
	return found, nil
}

// searchPage appends the matches of one page and returns the token of the next.
func (d *Dialer) searchPage(
	ctx context.Context, t call.Target, input awsconnect.SearchContactsInput, callID string, found *[]call.Contact,
) (next string, err error) {
	err = d.read(ctx, "search for contacts", t, func(ctx context.Context, client *awsconnect.Client) error {
		output, err := client.SearchContacts(ctx, &input)
		if err != nil {
			return err
		}
		if output.Contacts == nil { // required, and [] when nothing was found (SearchContacts, Contacts)
			return errIncomplete
		}
		for i := range output.Contacts {
			c := &output.Contacts[i]
			// The service decides what "exact" means; the mark decides what is ours.
			if name := aws.ToString(c.Name); name == NamePrefix+callID && c.Id != nil {
				*found = append(*found, call.Contact{
					ID: *c.Id, CallID: callID, Name: name,
					Initiated: instant(c.InitiationTimestamp), Disconnected: instant(c.DisconnectTimestamp),
				})
			}
		}
		next = aws.ToString(output.NextToken)
		return nil
	})
	return next, err
}
