package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/client"
)

// orderShown is the JSON form of an order.
type orderShown struct {
	ID        string             `json:"id"`
	DryRun    bool               `json:"dryRun,omitempty"`
	Repeated  bool               `json:"repeated,omitempty"` // the service knew it already
	State     string             `json:"state,omitempty"`
	Reason    string             `json:"reason"`
	By        string             `json:"by"`
	At        time.Time          `json:"at,omitzero"`
	ExpiresAt time.Time          `json:"expiresAt,omitzero"`
	Second    string             `json:"second,omitempty"`
	DecidedAt time.Time          `json:"decidedAt,omitzero"`
	Refusal   string             `json:"refusal,omitempty"`
	Digest    string             `json:"digest,omitempty"`
	NotAfter  time.Time          `json:"notAfter,omitzero"`
	Count     int                `json:"count"`
	InDoubt   int                `json:"inDoubt"`
	Recalled  int                `json:"recalled"`
	Action    string             `json:"action,omitempty"`
	Done      int                `json:"done"`
	Excluded  []client.Excluded  `json:"excluded,omitempty"`
	Calls     []orderedCallShown `json:"calls,omitempty"`
}

// orderedCallShown is the JSON form of one call of an order.
type orderedCallShown struct {
	CallID   string  `json:"callId"`
	Result   string  `json:"result"`
	Call     *listed `json:"call,omitempty"`
	RecallID string  `json:"recallId,omitempty"`
	Recall   *listed `json:"recall,omitempty"`
}

func orderOf(o client.Order) orderShown {
	s := orderShown{
		ID: o.ID, DryRun: o.DryRun, Repeated: o.Repeated, State: o.State, Reason: o.Reason, By: o.By, At: o.At, ExpiresAt: o.ExpiresAt, Second: o.Second,
		DecidedAt: o.DecidedAt, Refusal: o.Refusal, Digest: o.Digest, NotAfter: o.NotAfter, Count: o.Count, InDoubt: o.InDoubt, Recalled: o.Recalled, Action: o.Action, Done: max(o.Done, o.Recalled), Excluded: o.Excluded,
	}
	for _, c := range o.Calls {
		s.Calls = append(s.Calls, orderedCallShown{CallID: c.CallID, Result: c.Result, Call: listedOrNone(c.Call), RecallID: c.RecallID, Recall: listedOrNone(c.Recall)})
	}
	return s
}

func listedOrNone(c *client.Call) *listed {
	if c == nil {
		return nil
	}
	l := listedThere(*c)
	return &l
}

// printOrder prints one order with its calls.
func printOrder(e *environment, o client.Order, asJSON bool) error {
	s := orderOf(o)
	if asJSON {
		return printJSON(e.Stdout, s)
	}
	if _, err := fmt.Fprint(e.Stdout, s.head()); err != nil || len(s.Calls) == 0 {
		return err
	}
	rows := [][]string{{"CALL", "NOTIFICATION", "RECIPIENT", "NUMBER", "WAS", "RESULT", "RE-CALL", "STATE"}}
	for _, c := range s.Calls {
		row := []string{short(c.CallID), "", "", "", "", c.Result, "", ""}
		if c.Call != nil {
			row[1], row[2], row[3], row[4] = shownID(c.Call.NotificationID), shownID(c.Call.RecipientID), c.Call.Destination, string(c.Call.State)
		}
		if c.Recall != nil {
			row[6], row[7] = short(c.Recall.ID), string(c.Recall.State)
		}
		rows = append(rows, row)
	}
	return table(e.Stdout, rows)
}

func (s orderShown) head() string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, plain(value))
		}
	}
	switch {
	case s.DryRun:
		fmt.Fprintf(&b, "dry run: %s would %s, and nothing was ordered\n", plural(s.Count, "call", "calls"), s.words().infinitive)
		line("seen", s.Digest)
	default:
		fmt.Fprintf(&b, "order %s is %s: %s\n", plain(s.ID), plain(s.State), s.stands())
	}
	line("reason", s.Reason)
	line("by", s.By)
	line("ordered", stamp(s.At))
	line("second", s.Second)
	line("decided", stamp(s.DecidedAt))
	line("refused", s.Refusal)
	line("not after", stamp(s.NotAfter))
	if s.InDoubt > 0 {
		line("in doubt", strconv.Itoa(s.InDoubt)+" of them may have rung before")
	}
	for _, x := range s.Excluded {
		line("left out", strconv.Itoa(x.Count)+" "+x.Code)
	}
	if s.Digest != "" && !s.DryRun {
		line("digest", s.Digest)
		line("confirm", "another admin, until "+stamp(s.ExpiresAt)+": ringonce orders confirm "+s.ID+" --seen "+s.Digest[:min(leastSeen, len(s.Digest))])
	}
	return b.String()
}

// stands says where an order stands.
func (s orderShown) stands() string {
	calls, words := plural(s.Count, "call", "calls"), s.words()
	known := ""
	if s.Repeated {
		known = ", as the service knew already"
	}
	switch s.State {
	case orderPending:
		return calls + " " + words.present + " when a second person confirms it" + known
	case orderDone:
		return fmt.Sprintf("%d of %s %s%s", s.Done, calls, words.present, known)
	case "confirmed":
		return "it is being carried out for " + calls + known
	}
	return "none of " + calls + " " + words.never + " by it" + known
}

// orderWords say what an order does to its calls.
type orderWords struct{ infinitive, present, never string }

func (s orderShown) words() orderWords {
	switch s.Action {
	case "releaseHeld":
		return orderWords{"be released", "are released", "is released"}
	case "dropHeld":
		return orderWords{"be dropped", "are dropped", "is dropped"}
	}
	return orderWords{"ring again", "ring again", "rings again"}
}

// printOrders prints orders without their calls.
func printOrders(e *environment, orders []client.Order, more, asJSON bool) error {
	if asJSON {
		for _, o := range orders {
			if err := printJSON(e.Stdout, orderOf(o)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(orders) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "no orders")
		return err
	}
	rows := [][]string{{"ORDER", "WHAT", "STATE", "CALLS", "DONE", "BY", "ORDERED", "SECOND", "REASON"}}
	for _, o := range orders {
		rows = append(rows, []string{plain(o.ID), dash(plain(o.Action)), plain(o.State), strconv.Itoa(o.Count), strconv.Itoa(max(o.Done, o.Recalled)), plain(o.By), stamp(o.At), dash(plain(o.Second)), plain(o.Reason)})
	}
	if err := table(e.Stdout, rows); err != nil || !more {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout, "there are more; --limit shows up to 200")
	return err
}
