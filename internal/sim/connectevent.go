package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// What an event tells of a contact.
const (
	tellsInitiated = "initiated"
	tellsConnected = "connected"
	tellsEnded     = "ended"
)

// eventTypes are the types of events by what they tell.
var eventTypes = map[string]string{tellsInitiated: "INITIATED", tellsConnected: "CONNECTED_TO_SYSTEM", tellsEnded: "DISCONNECTED"}

// contactEventOf returns the event that Amazon Connect publishes of a contact; nil for what has not happened. Where nobody asks what becomes of
// contacts, one that is told to have ended ends now for whoever hears it.
func (w *World) contactEventOf(contact ring, tells string) []byte {
	tells = cmp.Or(tells, tellsEnded)
	story, now := w.phone.storyOf(contact.contact), time.Now().UTC()
	if !w.Setting.After.tracks() {
		story = contactStory{initiated: now, ended: now, reason: "CUSTOMER_DISCONNECT"}
	}
	if eventTypes[tells] == "" || (tells == tellsConnected && story.connected.IsZero()) || (tells == tellsEnded && story.ended.IsZero()) {
		return nil
	}
	if tells == tellsInitiated {
		story.connected = time.Time{}
	}
	if tells != tellsEnded {
		story.ended, story.reason = time.Time{}, ""
	}
	w.ids++
	channel := cmp.Or(contact.channel, connectemu.ChannelVoice)
	instance := "arn:aws:connect:" + region + ":" + account + ":instance/" + connectemu.DefaultInstance
	b := fmt.Appendf(nil, `{"version":"0","id":"00000000-0000-4000-9000-%012d","detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":%q,"time":%q,`+
		`"region":%q,"resources":[%q,%q],"detail":{"eventType":%q,"contactId":%q,"channel":%q,"instanceArn":%q,"initiationMethod":"API"`,
		w.ids, account, now.Format(time.RFC3339), region, instance, instance+"/contact/"+contact.contact, eventTypes[tells], contact.contact, channel, instance)
	b = appendStamp(b, "initiationTimestamp", story.initiated)
	b = appendStamp(b, "connectedToSystemTimestamp", story.connected)
	b = appendStamp(b, "disconnectTimestamp", story.ended)
	if story.reason != "" {
		b = fmt.Appendf(b, `,"disconnectReason":%q`, story.reason)
	}
	return append(b, "}}"...)
}

func appendStamp(b []byte, member string, at time.Time) []byte {
	if at.IsZero() {
		return b
	}
	return fmt.Appendf(b, `,%q:%q`, member, at.UTC().Format("2006-01-02T15:04:05.000Z"))
}
