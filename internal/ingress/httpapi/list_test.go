package httpapi_test

import (
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// What the index is asked for must not hide a call that the asker may see.
func TestAListAsksTheIndexForOneKeySpaceOnlyWhereAllItsCallsAreInIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who    access.Principal
		wanted oas.OptString
		want   string
	}{
		{access.Principal{Kind: access.Producer, KeySpace: "shop"}, oas.OptString{}, "shop"},
		{access.Principal{Kind: access.Producer, KeySpace: "shop", Reads: []string{"clinic"}}, oas.OptString{}, ""},
		{access.Principal{Kind: access.Producer, KeySpace: "shop", Reads: []string{"clinic"}}, oas.NewOptString("clinic"), "clinic"},
		{access.Principal{Kind: access.Producer}, oas.OptString{}, ""},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.OptString{}, ""},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.NewOptString("shop"), "shop"},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.NewOptString(""), ""},
	} {
		if got := httpapi.OnlySpace(c.who, c.wanted); got != c.want {
			t.Errorf("%+v asking for %q: the index is asked for %q, want %q", c.who, c.wanted.Value, got, c.want)
		}
	}
}
