package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// answering returns a core that answers everything with one outcome.
func answering(mode call.Mode, out call.Outcome) *core {
	return &core{mode: mode, place: func(context.Context, call.Delivery) call.Outcome { return out }}
}

// TestEachSourceIsToldInItsOwnForm is the table of facts/event-envelopes.md section 4.
func TestEachSourceIsToldInItsOwnForm(t *testing.T) {
	t.Parallel()
	for name, c := range everySource {
		document := c.document(t, published, wish(1))
		for _, mode := range []call.Mode{call.ModeNone, call.ModeLedger} {
			h, _ := handlerOn(t, answering(mode, call.Outcome{Met: call.MetPlaced, ContactID: "c-1"}))
			if response, err := h.Invoke(t.Context(), document); err != nil || string(response) != c.done {
				t.Errorf("%s: acknowledged gives %s, %v; want %s", name, response, err, c.done)
			}
			for _, ack := range []call.Ack{call.AckRetry, call.AckRefuse, call.AckNever, "unheard of"} {
				h, _ = handlerOn(t, answering(mode, call.Outcome{Met: call.MetRefused, Ack: ack, Code: "field_value", Message: "No."}))
				response, err := h.Invoke(t.Context(), document)
				failure, isFailure := errors.AsType[*NotAcknowledged](err)
				_, isRefused := errors.AsType[*Refused](err)
				if http := strings.HasPrefix(c.failed, `{"statusCode"`); http && ack != call.AckRefuse {
					if !strings.HasPrefix(string(response), `{"statusCode":503`) || !strings.Contains(string(response), `"retry-after":"5"`) {
						t.Errorf("%s: %q gives %s", name, ack, response)
					}
					continue
				}
				if string(response) != c.failed || isFailure != (c.failed == "") || isRefused != (isFailure && ack == call.AckRefuse) {
					t.Errorf("%s: %q gives %s, %v; want %q", name, ack, response, err, c.failed)
				}
				if isFailure && (failure.Code != "field_value" || failure.Message != "No.") {
					t.Errorf("%s: %q gives the error %v", name, ack, failure)
				}
			}
		}
	}
}

func TestASNSDocumentFailsWhenOneOfItsRecordsDoes(t *testing.T) {
	t.Parallel()
	c := &core{place: failing("s-1", "s-2")}
	h, _ := handlerOn(t, c)
	_, err := h.Invoke(t.Context(), snsDocument(t, wish(1), wish(2), wish(3)))
	failure, ok := errors.AsType[*NotAcknowledged](err)
	if !ok || failure.Path != "/Records/1" || failure.Failed != 2 || failure.Records != 3 || !strings.Contains(err.Error(), "2 of 3") {
		t.Errorf("got %v", err)
	}
	if len(c.started()) != 3 {
		t.Errorf("placed %q, want all three", c.started())
	}
}

func TestADocumentThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	for _, document := range []string{``, `nonsense`, `{"a":1}`, `"text"`, `null`, `{"notificationId":"n-1"}`, "\xef\xbb\xbf{}"} {
		c := &core{}
		h, log := handlerOn(t, c)
		response, err := h.Invoke(t.Context(), []byte(document))
		if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || failure.Code == "" || failure.Message == "" || response != nil {
			t.Errorf("%q: got %s, %v", document, response, err)
		}
		if len(log.all("unreadable")) != 1 || len(c.started()) != 0 {
			t.Errorf("%q: placed %q, logged %d lines", document, c.started(), len(log.all("unreadable")))
		}
	}
}

func TestARecordThatNoResponseCanNameFailsTheBatchBeforeAnythingIsDialed(t *testing.T) {
	t.Parallel()
	for name, document := range map[string][]byte{
		"empty id":           queueBatch(t, standardQueue, message{"m-0", "", wish(1)}, message{"", "", wish(2)}),
		"no sequence number": kinesisDocument(t, published, stream{"1", wish(1)}, stream{"", wish(2)}),
		"no offset":          []byte(strings.Replace(string(kafkaDocument(t, published, 7, wish(1), wish(2))), `"offset":8,`, "", 1)),
		"no object":          []byte(strings.Replace(string(queueBatch(t, standardQueue, messages(wish(1))...)), `}]}`, `},7]}`, 1)),
	} {
		c := &core{}
		h, _ := handlerOn(t, c)
		response, err := h.Invoke(t.Context(), document)
		if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || failure.Code != CodeBatchItemUnnamed || !strings.HasSuffix(failure.Path, "/1") {
			t.Errorf("%s: got %s, %v", name, response, err)
		}
		if len(c.started()) != 0 {
			t.Errorf("%s: placed %q", name, c.started())
		}
	}
}

// TestWhateverTheOutcomesTheQueueKeepsExactlyWhatWasNotAcknowledged draws batches and outcomes, and reads each response as SQS does.
func TestWhateverTheOutcomesTheQueueKeepsExactlyWhatWasNotAcknowledged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		acks := map[string]call.Ack{}
		var list []message
		var ids []string
		fifo := rapid.Bool().Draw(rt, "fifo")
		for i := range rapid.IntRange(1, 12).Draw(rt, "records") {
			m := message{id: fmt.Sprintf("m-%d", i), body: wish(rapid.IntRange(0, 20).Draw(rt, "key"))}
			if fifo {
				m.group = rapid.SampledFrom([]string{"g", "h"}).Draw(rt, "group")
			}
			if rapid.IntRange(0, 9).Draw(rt, "poison") == 0 {
				m.body = "{"
			}
			acks[m.id] = rapid.SampledFrom([]call.Ack{call.AckDone, call.AckRetry, call.AckRefuse}).Draw(rt, "ack")
			list, ids = append(list, m), append(ids, m.id)
		}
		c := &core{place: func(_ context.Context, d call.Delivery) call.Outcome {
			return call.Outcome{Met: call.MetReceived, Ack: acks[d.ID]}
		}}
		h, _ := handlerOn(t, c)
		queue := standardQueue
		if fifo {
			queue = fifoQueue
		}
		response, err := h.Invoke(t.Context(), queueBatch(t, queue, list...))
		kept := queueKeeps(response, err, ids)
		var want []string
		stopped := map[string]bool{}
		for _, m := range list {
			if acks[m.id] != call.AckDone || m.body == "{" || stopped[m.group] {
				want = append(want, m.id)
				stopped[m.group] = fifo
			}
		}
		if fmt.Sprint(kept) != fmt.Sprint(want) {
			rt.Fatalf("queue keeps %v, want %v (response %s, %v)", kept, want, response, err)
		}
	})
}

var digitsOfAPhone = regexp.MustCompile(`[0-9]{7,}`)

func TestNoAnswerNoErrorAndNoLogLineHoldsAPhoneNumber(t *testing.T) {
	t.Parallel()
	panicking := &core{place: func(_ context.Context, d call.Delivery) call.Outcome {
		panic("cannot ring " + d.Request.Destination.Wire())
	}}
	for _, c := range []*core{panicking, {}, {mode: call.ModeNone}, answering(call.ModeLedger, call.Outcome{Met: call.MetRefused})} {
		h, log := handlerOn(t, c)
		documents := [][]byte{
			[]byte(wish(1)), requestEvent(t, wish(1)), snsDocument(t, wish(1), elsewhere(1)), []byte(`{"destinationPhoneNumber":"+12025550101"}`),
			[]byte(`{"+12025550101":1,"+12025550101":1}`), queueBatch(t, standardQueue, messages(wish(1), elsewhere(1), wish(1))...),
		}
		for _, document := range documents {
			response, err := h.Invoke(t.Context(), document)
			if text := string(response) + fmt.Sprint(err); digitsOfAPhone.MatchString(text) {
				t.Errorf("answer %s", text)
			}
		}
		for _, line := range log.entries {
			line.Took = 0
			text := fmt.Sprintf("%+v", line)
			if digitsOfAPhone.MatchString(text) {
				t.Errorf("logged %s", text)
			}
		}
	}
}

func TestAReportHasOneResultForEachRecordInTheOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, &core{})
	report, err := h.Process(t.Context(), queueBatch(t, standardQueue, messages(wish(1), "{", wish(2), wish(1))...))
	if err != nil || len(report.Results) != 4 {
		t.Fatalf("got %d results, %v", len(report.Results), err)
	}
	for i, result := range report.Results {
		if result.Record.Path != fmt.Sprintf("/Records/%d", i) || result.Outcome.Met == "" || result.Outcome.Ack == "" {
			t.Errorf("result %d: %+v", i, result)
		}
	}
	answer, err := json.Marshal(report.Results[1].Answer())
	if err != nil || !strings.Contains(string(answer), `"situation":"unreadable","acknowledge":"refuse","code":"json_syntax"`) {
		t.Errorf("got %s, %v", answer, err)
	}
	if report.Results[1].Record.Verdict != envelope.VerdictReject {
		t.Errorf("got %+v", report.Results[1].Record)
	}
}
