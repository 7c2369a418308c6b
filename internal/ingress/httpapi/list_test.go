package httpapi_test

import (
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// What the index is asked for must not hide a call that the asker may see.
func TestAListAsksTheIndexForKeySpacesOnlyWhereAllItsCallsAreInThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who    access.Principal
		wanted oas.OptString
		want   []string
	}{
		{access.Principal{Kind: access.Producer, KeySpace: "shop"}, oas.OptString{}, []string{"shop"}},
		{access.Principal{Kind: access.Producer, KeySpace: "shop", Reads: []string{"clinic"}}, oas.OptString{}, []string{"shop", "clinic"}},
		{access.Principal{Kind: access.Producer, KeySpace: "shop", Reads: []string{"clinic"}}, oas.NewOptString("clinic"), []string{"clinic"}},
		{access.Principal{Kind: access.Producer}, oas.OptString{}, nil},
		{access.Principal{Kind: access.Producer, Reads: []string{"clinic"}}, oas.OptString{}, nil},
		{access.Principal{Kind: access.Producer, KeySpace: "shop", Reads: []string{""}}, oas.OptString{}, nil},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.OptString{}, nil},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.NewOptString("shop"), []string{"shop"}},
		{access.Principal{Kind: access.Operator, Role: access.RoleRead}, oas.NewOptString(""), nil},
	} {
		if got := httpapi.SpacesOf(c.who, c.wanted); !slices.Equal(got, c.want) {
			t.Errorf("%+v asking for %q: the index is asked for %q, want %q", c.who, c.wanted.Value, got, c.want)
		}
	}
}
