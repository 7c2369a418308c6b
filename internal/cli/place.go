package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// mostOfRequest is the largest body that the API takes.
const mostOfRequest = 256 << 10

// placeCommand asks a service for a call. The number comes from a file or from standard input: the list of processes shows arguments to everybody.
type placeCommand struct {
	Request        string        `arg:"" optional:"" placeholder:"FILE" help:"The request as JSON (schema/call-request.schema.json), or - for standard input."`
	NotificationID string        `placeholder:"ID" help:"The request's notificationId, where the file has none."`
	RecipientID    string        `placeholder:"ID" help:"The request's recipientId, where the file has none."`
	RecallID       string        `placeholder:"ID" help:"The request's recallId, where the file has none."`
	Profile        string        `placeholder:"NAME" help:"The request's profile, where the file has none."`
	Wait           time.Duration `placeholder:"DURATION" help:"Wait so long for the dial, such as 10s; default: answer as soon as the call is durable."`
	IdempotencyKey string        `placeholder:"KEY" help:"The same key with the same request gets the same answer for 24 hours."`
	JSON           bool          `help:"Print one JSON object."`
}

// placed is the JSON form of the answer, in the words of the API.
type placed struct {
	Answer      string    `json:"answer"`
	Sentence    string    `json:"sentence"`
	CallID      string    `json:"callId,omitempty"`
	State       string    `json:"state,omitempty"`
	Ring        int       `json:"ring"`
	ContactID   string    `json:"contactId,omitempty"`
	DuplicateOf string    `json:"duplicateOf,omitempty"`
	Suppressed  string    `json:"suppressed,omitempty"`
	HeldFor     string    `json:"heldFor,omitempty"`
	HeldUntil   time.Time `json:"heldUntil,omitzero"`
	Code        string    `json:"code,omitempty"`
	Message     string    `json:"message,omitempty"`
	Replayed    bool      `json:"replayed,omitempty"` // the answer to an earlier request with the same key
}

// Run implements the command.
func (x *placeCommand) Run(ctx context.Context, e *environment) error {
	if x.Wait < 0 || x.Wait > longestWait || x.Wait%time.Second != 0 {
		return misused("--wait is not between 1s and "+longestWait.String()+" in whole seconds.", "Ask without it, and follow the call with ringonce calls watch.")
	}
	r, err := e.needRemote("place")
	if err != nil {
		return err
	}
	request, err := x.request(e)
	if err != nil {
		return err
	}
	how := []client.Ask{client.Wait(x.Wait)}
	if x.IdempotencyKey != "" {
		how = append(how, client.Key(x.IdempotencyKey))
	}
	got, err := r.api.Place(ctx, request, how...)
	if err != nil {
		return r.unanswered(err)
	}
	answer := placed(got)
	if x.JSON {
		err = printJSON(e.Stdout, answer)
	} else {
		err = answer.text(e)
	}
	if err != nil || answer.State == "" {
		return err
	}
	return endWith(outcomeExits[call.MetState(call.State(answer.State))])
}

// unanswered says of a request without an answer that it may be sent again.
func (r *remote) unanswered(err error) error {
	_, told := errors.AsType[*client.Error](err)
	said, ok := errors.AsType[*complaint](r.told(err))
	if told || !ok {
		return r.told(err)
	}
	return failed(said.message+" Whether the request arrived is not known.", "Send it again as it is: a request that arrives twice rings once.")
}

// request reads the request and completes it with the flags. What the file says already is not said otherwise.
func (x *placeCommand) request(e *environment) (client.Request, error) {
	var r client.Request
	text, err := x.read(e)
	if err == nil && text != nil {
		r, err = requestOf(text)
	}
	if err != nil {
		return r, err
	}
	for _, set := range []struct {
		flag, value string
		member      *string
	}{
		{"--notification-id", x.NotificationID, &r.NotificationID},
		{"--recipient-id", x.RecipientID, &r.RecipientID},
		{"--recall-id", x.RecallID, &r.RecallID},
		{"--profile", x.Profile, &r.Profile},
	} {
		switch {
		case set.value == "" || set.value == *set.member:
		case *set.member != "":
			return r, misused(set.flag+" is not what the request says.", "Say it once.")
		default:
			*set.member = set.value
		}
	}
	return r, nil
}

func (x *placeCommand) read(e *environment) ([]byte, error) {
	switch x.Request {
	case "":
		return nil, nil
	case "-":
		if e.Stdin == nil {
			return nil, misused("There is no standard input.", "Name the file with the request.")
		}
		text, err := readAtMost(e.Stdin, mostOfRequest)
		if err != nil {
			return nil, failed("The request cannot be read from standard input: "+err.Error()+".", "Write it as one JSON object.")
		}
		return text, nil
	}
	text, err := readFew(x.Request, mostOfRequest)
	if err != nil {
		return nil, failed("The file of the request cannot be read: "+cause(err)+".", "Name a file with one JSON object.")
	}
	return text, nil
}

// requestOf reads a request strictly: a member that is spelled wrong would ring without it. What is wrong is named by its place, as the text holds a
// number.
func requestOf(text []byte) (client.Request, error) {
	var r client.Request
	err := json.Unmarshal(text, &r, json.RejectUnknownMembers(true))
	if err == nil {
		return r, nil
	}
	where := ""
	if e, ok := errors.AsType[*json.SemanticError](err); ok && e.JSONPointer != "" {
		where = " at " + placeIn(e.JSONPointer)
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		where = fmt.Sprintf(" at byte %d", e.ByteOffset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		where = " at its end"
	}
	return r, misused("The request is no JSON object of the members that are known"+where+".", "schema/call-request.schema.json lists them; each is written once.")
}

// placeIn names the first member of a place.
func placeIn(p jsontext.Pointer) string {
	for token := range p.Tokens() {
		return shownID(plain(token))
	}
	return "its beginning"
}

func (p placed) text(e *environment) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", plain(p.Answer), plain(p.Sentence))
	for _, line := range [][2]string{
		{"contact", p.ContactID}, {"held for", p.HeldFor}, {"until", stamp(p.HeldUntil)}, {"why", p.Message},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-9s%s\n", line[0], plain(line[1]))
		}
	}
	if p.Replayed {
		b.WriteString("this is the answer to an earlier request with the same key\n")
	}
	if p.CallID != "" {
		fmt.Fprintf(&b, "show it with: ringonce calls show %s\n", short(p.CallID))
	}
	_, err := io.WriteString(e.Stdout, b.String())
	return err
}
