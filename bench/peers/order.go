package main

import "strconv"

// order is the request behind a key, about the same bytes for every system.
type order struct {
	NotificationID         string            `json:"notificationId"`
	RecipientID            string            `json:"recipientId"`
	DestinationPhoneNumber string            `json:"destinationPhoneNumber"`
	Profile                string            `json:"profile"`
	Attributes             map[string]string `json:"attributes"`
}

// recipient is who is to be rung in every order.
const recipient = "user-67890"

func orderOf(n int) order {
	return order{
		NotificationID: "notification-" + strconv.Itoa(n), RecipientID: recipient, DestinationPhoneNumber: "+819000000001",
		Profile: "alert", Attributes: map[string]string{"language": "ja-JP"},
	}
}

// key is the order's idempotency key where it is one word.
func (o order) key() string { return o.NotificationID + "/" + o.RecipientID }
