package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

func TestAnErrorIsOneLineWithItsFix(t *testing.T) {
	t.Parallel()
	cases := []struct {
		err  error
		want string
	}{
		{&call.Error{Code: "x", Message: "It broke.", Fix: "Mend it."}, "ringonce: It broke. Mend it.\n"},
		{fmt.Errorf("a: %w", &call.Error{Code: "x", Message: "It\nbroke."}), "ringonce: It broke.\n"},
		{&clienttoken.Error{Message: "the id is missing", Fix: "send one"}, "ringonce: The id is missing. Send one.\n"},
		{&clienttoken.Error{Message: "notificationId is missing", Fix: "send one"}, "ringonce: notificationId is missing. Send one.\n"},
		{misused("No.", "Yes."), "ringonce: No. Yes.\n"},
		{errors.Join(errors.New("one"), errors.New("two")), "ringonce: One two.\n"},
		{ended(ExitRefused), ""},
		{nil, ""},
	}
	for _, c := range cases {
		var out strings.Builder
		complain(&out, c.err)
		if out.String() != c.want {
			t.Errorf("%v is printed as %q, not %q", c.err, out.String(), c.want)
		}
	}
}
