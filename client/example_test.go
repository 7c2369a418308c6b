package client_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/client"
)

// A request that is sent twice rings once.
func ExampleClient_Place() {
	service := serve()
	defer service.close()
	calls, err := client.New(service.URL, client.WithToken("shop"))
	if err != nil {
		panic(err)
	}
	request := client.Request{NotificationID: "fire-7", RecipientID: "kim", DestinationPhoneNumber: "+819000000001"}
	for range 2 {
		placed, err := calls.Place(context.Background(), request, client.Wait(10*time.Second))
		if err != nil {
			panic(err)
		}
		fmt.Println(placed.Answer, placed.State)
	}
	fmt.Println(service.phone.RingCount(), "ring")
	// Output:
	// placed placed
	// duplicate placed
	// 1 ring
}

// One bad item does not spoil the others.
func ExampleClient_Batch() {
	service := serve()
	defer service.close()
	calls, err := client.New(service.URL, client.WithToken("shop"))
	if err != nil {
		panic(err)
	}
	results, err := calls.Batch(context.Background(), []client.Request{
		{NotificationID: "fire-7", RecipientID: "kim", DestinationPhoneNumber: "+819000000001"},
		{NotificationID: "fire-7", RecipientID: "ann"},
	})
	if err != nil {
		panic(err)
	}
	for _, result := range results {
		if result.Problem != nil {
			fmt.Println(result.Status, result.Problem.Code, result.Problem.Fix)
			continue
		}
		fmt.Println(result.Status, result.Placed.Answer)
	}
	// Output:
	// 202 accepted
	// 422 field_missing Every request needs notificationId, recipientId and destinationPhoneNumber.
}
