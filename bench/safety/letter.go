package main

import (
	"context"
	"crypto/md5" //nolint:gosec // SQS describes a body by its MD5
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

type object map[string]any

// request is the message of a scenario's n-th logical request.
func (w *world) request(n int) string { return w.asked(fmt.Sprintf("n-%d", n), n) }

// asked is a request with the ids of one and the number of another.
func (w *world) asked(id string, number int) string {
	return fmt.Sprintf(`{"notificationId":%q,"recipientId":"user-67890","destinationPhoneNumber":%q}`, id, w.numbers[number])
}

// letter is one message of a queue.
type letter struct{ id, body string }

// send returns letters with new ids.
func (w *world) send(bodies ...string) []letter {
	letters := make([]letter, len(bodies))
	for i, body := range bodies {
		w.sent++
		letters[i] = letter{fmt.Sprintf("00000000-0000-4000-8000-%012d", w.sent), body}
	}
	return letters
}

// document is the event of a batch, as SQS and Lambda make it.
func (w *world) document(letters []letter, received int) ([]byte, error) {
	sent := strconv.FormatInt(w.clock.Now().UnixMilli(), 10)
	var records []object
	for _, l := range letters {
		digest := md5.Sum([]byte(l.body)) //nolint:gosec // SQS describes a body by its MD5
		records = append(records, object{
			"messageId": l.id, "receiptHandle": "EXAMPLE", "body": l.body, "md5OfBody": hex.EncodeToString(digest[:]), "messageAttributes": object{},
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:111122223333:calls", "awsRegion": "us-east-1",
			"attributes": object{
				"ApproximateReceiveCount": strconv.Itoa(received), "SentTimestamp": sent, "SenderId": "AIDAEXAMPLE", "ApproximateFirstReceiveTimestamp": sent,
			},
		})
	}
	return json.Marshal(object{"Records": records})
}

// deliver hands letters to a worker and returns what was told of the whole batch.
func (w *world) deliver(ctx context.Context, a *app.App, by string, received int, letters ...letter) (delivery, error) {
	document, err := w.document(letters, received)
	if err != nil {
		return delivery{}, err
	}
	report, _ := a.Handler.Process(ctx, document) // the report is complete also beside an error
	d := delivery{By: by, OK: len(report.Results) == len(letters)}
	var words []string
	for _, r := range report.Results {
		d.OK = d.OK && done(r.Outcome)
		d.Dialed = d.Dialed || r.Outcome.Met == call.MetPlaced && r.Outcome.Suppressed == ""
		words = append(words, tell(r.Outcome))
	}
	d.Text = strings.Join(words, "; ")
	return d, nil
}

// done reports whether the caller was told that its call is made: a refusal is acknowledged too, and is no such word.
func done(o call.Outcome) bool { return o.Ack == call.AckDone && o.Met == call.MetPlaced }

// tell says what a delivery met, with the reason and, in a refusal, the field.
func tell(o call.Outcome) string {
	words := string(o.Met)
	switch {
	case o.Suppressed != "":
		words += ", suppressed: " + o.Suppressed
	case o.Code != "" && string(o.Code) != words:
		words += ": " + string(o.Code)
	}
	if o.Met == call.MetRefused || o.Met == call.MetUnreadable {
		words += " (" + o.Message + ")"
	}
	return words
}
