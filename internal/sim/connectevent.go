package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// contactEnded returns the event that Amazon Connect publishes when a contact ends.
func contactEnded(id string, contact ring, at time.Time) []byte {
	channel := cmp.Or(contact.channel, connectemu.ChannelVoice)
	instance := "arn:aws:connect:" + region + ":" + account + ":instance/" + connectemu.DefaultInstance
	when := at.Format("2006-01-02T15:04:05.000Z")
	return fmt.Appendf(nil, `{"version":"0","id":%q,"detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":%q,"time":%q,`+
		`"region":%q,"resources":[%q,%q],"detail":{"eventType":"DISCONNECTED","contactId":%q,"channel":%q,"instanceArn":%q,`+
		`"initiationMethod":"API","initiationTimestamp":%q,"disconnectTimestamp":%q,"disconnectReason":"CUSTOMER_DISCONNECT"}}`,
		id, account, at.Format(time.RFC3339), region, instance, instance+"/contact/"+contact.contact, contact.contact, channel, instance, when, when)
}
