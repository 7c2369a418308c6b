package access_test

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
)

func TestARoleMayWhatTheRolesBeforeItMayAndAProducerHasNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who   access.Principal
		least access.Role
		want  bool
	}{
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, access.RoleRead, true},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, access.RoleOperate, false},
		{access.Principal{Kind: access.Operator, Role: access.RoleAdmin}, access.RoleOperate, true},
		{access.Principal{Kind: access.Producer, Role: access.RoleAdmin}, access.RoleRead, false},
		{access.Principal{Kind: access.Operator, Role: "root"}, access.RoleRead, false},
		{access.Principal{Kind: access.Operator}, access.RoleRead, false},
	} {
		if got := c.who.May(c.least); got != c.want {
			t.Errorf("%+v may %s: %v", c.who, c.least, got)
		}
	}
}

func TestAProducerSeesItsOwnKeySpaceAndThoseItWasGranted(t *testing.T) {
	t.Parallel()
	p := access.Principal{Kind: access.Producer, KeySpace: "crm", Reads: []string{"shop"}, Profiles: []string{"alert"}}
	for space, want := range map[string]bool{"crm": true, "shop": true, "": false, "other": false} {
		if p.Sees(space) != want {
			t.Errorf("sees %q: %v", space, !want)
		}
	}
	if !p.Uses("alert") || p.Uses("other") {
		t.Error("a producer uses the profiles it was given, and no other")
	}
}

func TestNobodyIsInAContextThatNobodyAuthenticated(t *testing.T) {
	t.Parallel()
	if _, ok := access.From(context.Background()); ok {
		t.Error("a principal came from nowhere")
	}
	if p, ok := access.From(access.With(context.Background(), access.Local())); !ok || !p.Anonymous {
		t.Error("who asks is lost")
	}
}

func TestTheNameOfASenderIsThatOfItsPrincipalAndAnARNStaysWhole(t *testing.T) {
	t.Parallel()
	arn := "arn:aws:sqs:us-east-1:111122223333:crm"
	for sender, want := range map[string]string{
		access.Principal{Kind: access.Producer, Name: "crm", KeySpace: "calls"}.Sender(): "crm",
		access.Principal{Kind: access.Operator, Name: "crm"}.Sender():                    "crm",
		arn: arn, "": "",
	} {
		if got := access.SenderName(sender); got != want {
			t.Errorf("%q is named %q", sender, got)
		}
	}
}
