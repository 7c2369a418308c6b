package clienttoken_test

import (
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/clienttoken"
)

// The default recipe hashes the ids. Every process that knows them computes the
// same token.
func ExampleMaker_Token() {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	for in.Ring = range 2 {
		token, err := maker.Token(in)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("ring", in.Ring, token)
	}
	// Output:
	// ring 0 e6fc7b01ac85556d5376864f508b985202b5cbe380bc8503c15c523a2c922221
	// ring 1 d23f75b670f4c9b94cfd49024492f21b7323cbc620c7d409bec85fa7f9507ae8
}

// A template makes tokens that people can read.
func ExampleNew_template() {
	maker, err := clienttoken.New(clienttoken.Options{
		Recipe:   clienttoken.Template,
		Template: "call-{notificationId}-{recipientId}",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := maker.Token(clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"})
	fmt.Println(token, err)
	// Output: call-notification-12345-user-67890 <nil>
}

// An error has a stable code, the field at fault and the next step.
func ExampleError() {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = maker.Token(clienttoken.Input{NotificationID: "notification-12345"})
	if failure, ok := errors.AsType[*clienttoken.Error](err); ok {
		fmt.Println(failure.Code)
		fmt.Println(failure.Field)
		fmt.Println(failure.Fix)
	}
	// Output:
	// id_missing
	// recipientId
	// send recipientId as a non-empty string
}
