package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// tokenCommand computes a token from ids. It works without a configuration; when one is named and no recipe is given, the token is
// the one that the configuration would send.
type tokenCommand struct {
	NotificationID string `name:"notification-id" required:"" placeholder:"N" help:"The id of what the recipient is to be told."`
	RecipientID    string `name:"recipient-id" required:"" placeholder:"R" help:"The id of who is to be told."`
	RecallID       string `name:"recall-id" placeholder:"C" help:"The producer's id of an intended further call."`
	KeySpace       string `placeholder:"S" help:"The room in which the ids are unique; default: the unnamed one."`
	Ring           int    `placeholder:"N" help:"Ring number; 0 is the first."`
	Kind           string `placeholder:"KIND" enum:"voice,chat,task" default:"voice" help:"The kind of the profile's contacts: voice (default), chat or task."`
	Recipe         string `placeholder:"NAME" help:"sha256 (default), template, message, event-id or hmac-sha256."`
	Template       string `placeholder:"T" help:"For the recipe template, for example call-{notificationId}-{recipientId}."`
	ClientToken    string `placeholder:"T" help:"For the recipe message: the producer's token."`
	EventID        string `name:"event-id" placeholder:"E" help:"For the recipe event-id: the EventBridge id."`
	KeyFile        string `placeholder:"FILE" help:"For the recipe hmac-sha256: a file of at least 32 bytes, mode 0600."`
	JSON           bool   `help:"Print one JSON object."`
}

// tokenAnswer is the JSON form.
type tokenAnswer struct {
	Token          string `json:"token"`
	Key            string `json:"key"` // the row id
	Recipe         string `json:"recipe"`
	Ring           int    `json:"ring"`
	Kind           string `json:"kind,omitempty"` // of another kind than voice
	KeySpace       string `json:"keySpace,omitempty"`
	NotificationID string `json:"notificationId"`
	RecipientID    string `json:"recipientId"`
	RecallID       string `json:"recallId,omitempty"`
	Identity       string `json:"identity"` // how the key was made: plain or hmac
	Why            string `json:"why"`
}

// Run implements the command.
func (t *tokenCommand) Run(ctx context.Context, e *environment) error {
	config, err := t.config(e)
	if err != nil {
		return err
	}
	maker, identity, err := config.Recipe(ctx, e.surroundings())
	if err != nil {
		return t.asFlags(err)
	}
	naming, err := config.Naming(ctx, e.surroundings())
	if err != nil {
		return err
	}
	// A cancel needs the ids and nothing else, so it checks them as every request's are checked.
	ids := call.Request{NotificationID: t.NotificationID, RecipientID: t.RecipientID, RecallID: t.RecallID, Action: call.ActionCancel}
	if err := ids.Validate(); err != nil {
		return t.asFlags(err)
	}
	token, err := maker.Token(clienttoken.Input{
		KeySpace: t.KeySpace, NotificationID: t.NotificationID, RecipientID: t.RecipientID, RecallID: t.RecallID,
		ClientToken: t.ClientToken, EventID: t.EventID, Ring: t.Ring,
	})
	if err != nil {
		return t.asFlags(err)
	}
	answer := tokenAnswer{
		Token: app.KindToken(call.Kind(t.Kind), token), Key: naming.Row(t.key(identity), t.Ring), Recipe: string(maker.Recipe()), Ring: t.Ring, KeySpace: t.KeySpace,
		NotificationID: t.NotificationID, RecipientID: t.RecipientID, RecallID: t.RecallID, Identity: "plain", Why: t.why(maker.Recipe()) + t.whyKind(),
	}
	if !call.Kind(t.Kind).NeedsNumber() {
		answer.Kind = t.Kind
	}
	if naming.Mode != "" {
		answer.Identity = string(naming.Mode)
	}
	if t.JSON {
		return printJSON(e.Stdout, answer)
	}
	_, err = fmt.Fprintf(e.Stdout, "token  %s\nkey    %s\nwhy    %s\n", plain(answer.Token), answer.Key, answer.Why)
	return err
}

// config returns the settings that the token depends on: those of the flags, or of the configuration when no recipe is given.
func (t *tokenCommand) config(e *environment) (*app.Config, error) {
	if t.Recipe == "" && t.Template == "" && t.KeyFile == "" && e.hasConfig() {
		return e.config()
	}
	if t.Recipe == string(clienttoken.HMACSHA256) && t.KeyFile == "" {
		return nil, misused("--key-file is missing and --recipe is hmac-sha256.", "Name a file of at least 32 random bytes.")
	}
	if t.Recipe != string(clienttoken.HMACSHA256) && t.KeyFile != "" {
		return nil, misused("--key-file is given and --recipe is not hmac-sha256.", "Remove it, or add --recipe hmac-sha256.")
	}
	return &app.Config{Token: app.Token{Recipe: t.Recipe, Template: t.Template, KeyFile: t.KeyFile}}, nil
}

func (t *tokenCommand) key(identity call.Identity) call.Key {
	key := call.Key{KeySpace: t.KeySpace, Kind: call.Kind(t.Kind), NotificationID: t.NotificationID, RecipientID: t.RecipientID, RecallID: t.RecallID}
	switch identity {
	case call.IdentityClientToken:
		key.Instead = t.ClientToken
	case call.IdentityEventID:
		key.Instead = t.EventID
	case call.IdentityIDs:
	}
	return key
}

// flagNames turns the names of members into those of flags.
var flagNames = strings.NewReplacer(
	"notificationId", "--notification-id", "recipientId", "--recipient-id", "recallId", "--recall-id", "keySpace", "--key-space",
	"clientToken", "--client-token", "eventId", "--event-id", "token.recipe", "--recipe", "token.template", "--template",
	"token.key_file", "--key-file", "The field ", "", ": is ", " is ",
	// Placeholders of a template keep their names.
	"{notificationId}", "{notificationId}", "{recipientId}", "{recipientId}", "{recallId}", "{recallId}", "{keySpace}", "{keySpace}",
)

// asFlags names the flag at fault instead of the request's or the configuration's member.
func (t *tokenCommand) asFlags(err error) error {
	if e, ok := errors.AsType[*call.Error](err); ok {
		return misused(flagNames.Replace(e.Message), flagNames.Replace(e.Fix))
	}
	if e, ok := errors.AsType[*clienttoken.Error](err); ok {
		return misused(flagNames.Replace(e.Message), flagNames.Replace(e.Fix))
	}
	return err
}

// why says in one sentence how the token is computed.
func (t *tokenCommand) why(recipe clienttoken.Recipe) string {
	text := ""
	switch recipe {
	case clienttoken.SHA256:
		return "The token is the lower-case hex of SHA-256(" + t.framed() + ")."
	case clienttoken.HMACSHA256:
		return "The token is the lower-case hex of HMAC-SHA256(key, " + t.framed() + ")."
	case clienttoken.Template:
		text = "the template with its placeholders replaced"
	case clienttoken.Message:
		text = t.spaced("the producer's clientToken")
	case clienttoken.EventID:
		text = t.spaced("the EventBridge id")
	}
	if t.Ring > 0 {
		return "The token is the lower-case hex of SHA-256(token of ring 0 + \"\\n\\n\" + " + strconv.Itoa(t.Ring) + "), where the token of ring 0 is " + text + "."
	}
	return "The token is " + text + "."
}

// whyKind says what the kind does to the token.
func (t *tokenCommand) whyKind() string {
	operation := map[string]string{string(call.KindChat): clienttoken.StartChatContact, string(call.KindTask): clienttoken.StartTaskContact}[t.Kind]
	if operation == "" {
		return ""
	}
	return " A " + t.Kind + ` has the lower-case hex of SHA-256(that token + "\n\nconnect ` + operation + `").`
}

func (t *tokenCommand) spaced(value string) string {
	if t.KeySpace == "" {
		return value + ", unchanged"
	}
	return "the lower-case hex of SHA-256(keySpace + \"\\n\" + " + value + ")"
}

func (t *tokenCommand) framed() string {
	text := `notificationId + "\n" + recipientId`
	if t.KeySpace != "" {
		text = `keySpace + "\n" + ` + text
	}
	if t.RecallID != "" {
		text += ` + "\n" + recallId`
	}
	if t.Ring > 0 {
		text += ` + "\n\n" + ` + strconv.Itoa(t.Ring)
	}
	return text
}
