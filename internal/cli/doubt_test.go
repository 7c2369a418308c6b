package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// doubted is a desk with one call in doubt. It rang, and its answer was lost.
func doubted(t *testing.T) (d *desk, id string) {
	t.Helper()
	d = newDesk(t, ", resend: never")
	d.faults("place-then-reset nth=1")
	d.request(ExitOK, "n-1", "+819000000001")
	for range 6 { // until the schedule of looks is done
		d.clock.advance(13 * time.Hour)
		stdout, _ := d.run(ExitOK, "doubt", "list", "--json")
		if doubts := each[doubt](t, stdout); len(doubts) == 1 {
			return d, doubts[0].ID
		}
		d.run(ExitOK, "lambda-invoke", d.write("nothing.json", `{"Records":[]}`))
	}
	t.Fatal("the call is never in doubt")
	return d, ""
}

func TestADoubtSaysSinceWhenWhyAndWhatWouldDecideIt(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	stdout, _ := d.run(ExitOK, "doubt", "list")
	says(t, stdout, "CALL SINCE PROFILE NOTIFICATION RECIPIENT RING NUMBER WHY LOOKS NEXT LOOK", short(id), " alert n-1 user-1 0 +81******0001 resend_never 3 none planned",
		"none of them is ever dialed again by itself")
	stdout, _ = d.run(ExitOK, "doubt", "list", "--profile", "other")
	says(t, stdout, "no call is in doubt")
	stdout, _ = d.run(ExitOK, "doubt", "show", short(id))
	says(t, stdout,
		"state in_doubt: The phone may have rung; nothing so far decides it.", "number +81******0001", "in doubt since 20", "why resend_never: The answer was lost",
		"1 attempt", "answer lost: the phone may have rung (connection_lost",
		"answer 1 attempt without a definite answer a late answer is merged whenever it comes",
		"contact_event none that names a contact of this call each contact event is compared",
		"search 3 searches found no contact of this name, the last at 20", "no further search is planned",
		"check_in no contact flow has reported a contact of this call",
		"person nobody has named a contact", "ringonce doubt close "+short(id)+" --contact-id CONTACT",
		"a person may ring again now, with ringonce doubt close "+short(id)+" --recall --reason TEXT --although-it-may-have-rung")
	stdout, _ = d.run(ExitOK, "doubt", "show", id, "--json")
	s := each[doubtShown](t, stdout)[0]
	if s.State != call.InDoubt || s.Code != "resend_never" || s.Since.IsZero() || len(s.Attempts) != 1 || len(s.Evidence) != 5 || s.Evidence[2].Looks != 3 || s.Closed != nil || len(s.Rings) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestANoteDecidesNothingAndEndsWithFour(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	stdout, _ := d.run(ExitInDoubt, "doubt", "close", id, "--note", "they do not remember", "--actor", "kim")
	says(t, stdout, "is in_doubt", "the note is kept, and decides nothing")
	stdout, _ = d.run(ExitOK, "doubt", "show", id)
	says(t, stdout, "notes, which decide nothing", "they do not remember (by kim)")
	stdout, _ = d.run(ExitInDoubt, "doubt", "close", id, "--note", "again", "--json")
	if closed := each[doubtClosed](t, stdout)[0]; closed.Closed || closed.State != call.InDoubt {
		t.Errorf("%+v", closed)
	}
}

func TestAContactIDClosesADoubtOnlyWhenAmazonConnectConfirmsIt(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	_, stderr := d.run(ExitRefused, "doubt", "close", id, "--contact-id", "11111111-2222-4333-8444-999999999999")
	says(t, stderr, "Amazon Connect does not show this contact as one of call "+id, "Check the contact id in Amazon Connect.")
	contact := d.telephone.Contacts()[0].ID
	stdout, _ := d.run(ExitOK, "doubt", "close", id, "--contact-id", contact, "--reason", "found by its number", "--actor", "kim")
	says(t, stdout, "is placed: Amazon Connect created the contact", "Amazon Connect confirms the contact")
	stdout, _ = d.run(ExitOK, "doubt", "list")
	says(t, stdout, "no call is in doubt")
	stdout, _ = d.run(ExitOK, "doubt", "show", id)
	says(t, stdout, "closed at 20", ", placed, contact "+contact+", known from a person, confirmed by Amazon Connect: found by its number (by kim)")
	stdout, _ = d.run(ExitOK, "calls", "show", id)
	says(t, stdout, "contact "+contact+" is known from a person, confirmed by Amazon Connect: found by its number (by kim)")
	stdout, _ = d.run(ExitOK, "doubt", "close", id, "--contact-id", contact, "--json")
	if closed := each[doubtClosed](t, stdout)[0]; !closed.Closed || closed.ContactID != contact {
		t.Errorf("%+v", closed)
	}
	_, stderr = d.run(ExitRefused, "doubt", "close", id, "--note", "too late")
	says(t, stderr, "The call is not in doubt: it is placed.")
	d.again(ExitOK, "n-1")
	if n := d.telephone.RingCount(); n != 1 {
		t.Errorf("%d rings", n)
	}
}

func TestADoubtIsCalledAgainOnlyByAPersonWhoSaysThatItMayHaveRung(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	for _, args := range [][]string{
		{"doubt", "close", id, "--recall", "--reason", "they wait for it"},
		{"calls", "recall", id, "--reason", "they wait for it"},
	} {
		_, stderr := d.run(ExitRefused, args...)
		says(t, stderr, "The call is in doubt: the phone may have rung, so a re-call may be its second ring. Look at ringonce doubt show "+short(id), "add --although-it-may-have-rung.")
	}
	d.again(ExitInDoubt, "n-1")
	if n := d.telephone.RingCount(); n != 1 {
		t.Errorf("%d rings before anybody allowed one", n)
	}
	stdout, stderr := d.run(ExitOK, "doubt", "close", id, "--recall", "--reason", "they wait for it", "--although-it-may-have-rung", "--actor", "kim")
	says(t, stdout, "ring 1 of call", "is placed")
	says(t, stderr, "warning: the ring before is in doubt and may have rung, so this may be its second ring.")
	if n := d.telephone.RingCount(); n != 2 {
		t.Errorf("%d rings", n)
	}
	_, stderr = d.run(ExitConflict, "doubt", "close", id, "--recall", "--reason", "they wait for it", "--although-it-may-have-rung")
	says(t, stderr, "ring 1 is. Look at the newest ring and decide again.")
	stdout, _ = d.run(ExitOK, "doubt", "show", id)
	says(t, stdout, "rings of this key", "1 ", "placed operator")
	stdout, _ = d.run(ExitOK, "calls", "show", id)
	says(t, stdout, "ring 1 is claimed (operator): they wait for it (by kim)")
}

func TestADoubtThatIsNotSettledNamesTheTimeFromWhenItMayBeCalledAgain(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	d.clock.advance(-40 * time.Hour) // of somebody whose clock is behind the last lease
	_, stderr := d.run(ExitRefused, "doubt", "close", id, "--recall", "--reason", "they wait for it", "--although-it-may-have-rung")
	says(t, stderr, "An attempt of this call can still be accepted, so the phone may still ring. Wait until 20")
	stdout, _ := d.run(ExitOK, "doubt", "show", id)
	says(t, stdout, "a person may ring again from 20", "on, when no dial of it can be accepted any more")
}

func TestADoubtCommandThatSaysNotOneThingIsMisused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-1", "+819000000001")
	stdout, _ := d.run(ExitOK, "calls", "list", "--json")
	id := each[listed](t, stdout)[0].ID
	for want, args := range map[string][]string{
		"One of --contact-id, --note and --recall is needed.":  {},
		"One of --contact-id, --note and --recall is needed. ": {"--note", "x", "--recall"},
		"--recall needs --reason.":                             {"--recall"},
		"belong to --recall.":                                  {"--note", "x", "--although-it-may-have-rung"},
		"A note is its own reason.":                            {"--note", "x", "--reason", "y"},
		"--not-after is no time.":                              {"--recall", "--reason", "y", "--not-after", "soon"},
	} {
		_, stderr := d.run(ExitUsage, append([]string{"doubt", "close", id}, args...)...)
		says(t, stderr, strings.TrimSpace(want))
	}
	_, stderr := d.run(ExitRefused, "doubt", "show", id)
	says(t, stderr, "The call is not in doubt: it is placed. See it with ringonce calls show "+short(id)+".")
	_, stderr = d.run(ExitRefused, "doubt", "close", id, "--recall", "--reason", "y")
	says(t, stderr, "The call is not in doubt: it is placed.")
	_, stderr = d.run(ExitRefused, "doubt", "show", "AAAAAAAA")
	says(t, stderr, "No call has this id.")
}
