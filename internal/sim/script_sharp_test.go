package sim_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// sharp is a transcript and a defect under which it goes otherwise.
type sharp struct {
	transcript string
	defect     string
	plant      sim.Plant
	shows      string // part of what it shows then, or of a finding, and not without the defect
	hides      string // instead: what it shows without the defect only
}

// sharps names a defect for the transcripts that a part of the protocol can be taken from without touching its code. The ids are those of
// sections 15 and 16 of the protocol.
func sharps() []sharp {
	ledger := func(wrap func(call.Ledger) call.Ledger) sim.Plant { return sim.Plant{Ledger: wrap} }
	dialer := func(wrap func(call.Dialer) call.Dialer) sim.Plant { return sim.Plant{Dialer: wrap} }
	lies := func(from, to call.Class) sim.Plant {
		return dialer(func(d call.Dialer) call.Dialer { return misreadDialer{d, from, to} })
	}
	always := sim.Plant{Acknowledge: func(call.Outcome) bool { return true }}
	noGuard := dialer(func(d call.Dialer) call.Dialer { return guardlessDialer{d} })
	short := ledger(func(l call.Ledger) call.Ledger { return missingLedger{l, forgottenByNow} })
	deaf := ledger(func(l call.Ledger) call.Ledger { return deafLedger{l} })
	drops := func(kind call.EventKind) sim.Plant {
		return ledger(func(l call.Ledger) call.Ledger { return droppingLedger{l, kind} })
	}
	random := &freshToken{}
	blind := dialer(func(d call.Dialer) call.Dialer { return blindDialer{d} })
	return []sharp{
		{transcript: "a1prime_evidence", defect: "a search that misses (N11b)", plant: blind, shows: "contact 2 for n1"},
		{transcript: "accept_answer_of_write_lost", defect: "its own write taken for another's (N18)", plant: ledger(func(l call.Ledger) call.Ledger { return forgetsOps(l) }), shows: "m1: dialing (in-progress), retry"},
		{transcript: "accept_write_not_applied", defect: "acknowledged before write 1 is durable (N7)", plant: always, shows: "n1 was acknowledged (unavailable) and is not in the ledger"},
		{transcript: "after_acknowledged_while_a_recall_waits", defect: "an acknowledgment that is not kept", plant: drops(call.EventCancelRequested), shows: "was written last"},
		{transcript: "after_busy_rings_again", defect: "a claim that is not kept", plant: drops(call.EventRingOpened), hides: "contact 3 for n1#2"},
		{transcript: "after_cap_under_two_workers", defect: "cells without compare", plant: sim.Plant{Cells: func(c call.Cells) call.Cells { return blindCells{c} }}, shows: "rang the number as the 2th"},
		{transcript: "after_doubt_stops_the_list", defect: "nobody is asked whose contact it is", plant: dialer(func(d call.Dialer) call.Dialer { return incuriousDialer{d} }), hides: "n1@bob placed"},
		{transcript: "after_events_lost_and_repaired", defect: "one word taken for another", plant: dialer(func(d call.Dialer) call.Dialer { return incuriousDialer{d} }), hides: "n1 seen at 4m0s, describe\n\ncontact-event"},
		{transcript: "after_kill_switch", defect: "switches that are read once", plant: sim.Plant{Cells: func(c call.Cells) call.Cells { return staleCells{c, map[string]call.Cell{}} }}, shows: "although all is paused"},
		{transcript: "after_list_under_crash", defect: "a list that is not kept", plant: ledger(func(l call.Ledger) call.Ledger {
			return changingLedger{l, call.EventAccepted, func(c *call.Call, _ call.Event) { c.Escalation = nil }}
		}), hides: "for n1@bob"},
		{transcript: "after_quiet_hours_in_autumn", defect: "no hours", plant: sim.Plant{Config: withoutHours}, shows: "in quiet hours"},
		{transcript: "answer_lost_then_refused", defect: "a library that sends twice inside one attempt (N25)", plant: dialer(func(d call.Dialer) call.Dialer { return eagerDialer{d} }), shows: "I3"},
		{transcript: "answer_lost_then_refused_unknown", defect: "a lost answer taken for a refusal (N5)", plant: lies(call.ClassAmbiguous, call.ClassRefusedRequest), shows: "n1 failed"},
		{transcript: "cancel_before_request", defect: "no tombstone (R24)", plant: ledger(func(l call.Ledger) call.Ledger { return forgetfulLedger{l} }), shows: "contact 1 for n1 at 0s"},
		{transcript: "cancel_open_then_placed", defect: "a cancel that is not kept (R25)", plant: drops(call.EventCancelRequested), shows: "n1 contact at 2m0s, search"},
		{transcript: "cancel_waiting", defect: "a cancel that is not kept", plant: drops(call.EventCancelRequested), shows: "was written last"},
		{transcript: "cancel_while_ringing", defect: "the contact is not stopped", plant: dialer(func(d call.Dialer) call.Dialer { return unstoppedDialer{d} }), shows: "contact 1 for n1 at 0s, alive"},
		{transcript: "clock_ahead", defect: "no lower bound of the signature (N12)", plant: noGuard, shows: "was signed -4m0s after firstSigned"},
		{transcript: "clock_behind", defect: "no compare", plant: ledger(func(l call.Ledger) call.Ledger { return blindLedger{l} }), shows: "was written last"},
		{transcript: "crash_after_dial", defect: "a random token (N1)", plant: dialer(func(d call.Dialer) call.Dialer { random.Dialer = d; return random }), shows: "contact 2 for n1"},
		{transcript: "deploy_other_flow", defect: "the body is made anew (N4a)", plant: dialer(func(d call.Dialer) call.Dialer { return driftingDialer{d} }), shows: "refused_request"},
		{transcript: "doubt_closed_by_event", defect: "nobody is asked whose contact it is", plant: dialer(func(d call.Dialer) call.Dialer { return incuriousDialer{d} }), hides: "contact 1 by event"},
		{transcript: "doubt_stays", defect: "a lost answer taken for not sent (N22)", plant: lies(call.ClassAmbiguous, call.ClassNotSent), shows: "contact 1 for n1 at"},
		{transcript: "forget_and_late_redelivery", defect: "the row is deleted", plant: ledger(func(l call.Ledger) call.Ledger { return deletingLedger{l} }), shows: "contact 2 for n1"},
		{transcript: "http_accepted_then_crash", defect: "a sweep that passes over what was only accepted", plant: ledger(func(l call.Ledger) call.Ledger { return passingLedger{l} }), hides: "contact 1 for n1 at 1m0s"},
		{transcript: "http_and_sqs_race", defect: "a row that is there taken for one's own", plant: ledger(func(l call.Ledger) call.Ledger { return ownLedger{l} }), shows: "m1: received, acknowledge"},
		{transcript: "http_answer_lost", defect: "a new row that is accepted and not kept", plant: ledger(func(l call.Ledger) call.Ledger { return acceptingLedger{l} }), shows: "m1 was answered 202 (accepted) about a call that is not in the ledger"},
		{transcript: "http_conflict", defect: "a conflict that is answered as accepted", plant: sim.Plant{API: func(api http.Handler) http.Handler { return lyingAPI(api, acceptedInAConflict) }}, shows: "rings another number than it asks for"},
		{transcript: "http_crash_before_answer", defect: "answers that are kept nowhere", plant: sim.Plant{Cells: func(c call.Cells) call.Cells { return emptyCells{c} }}, hides: "idempotency_in_progress"},
		{transcript: "http_ledger_down", defect: "an outage that is answered as accepted", plant: sim.Plant{API: func(api http.Handler) http.Handler { return lyingAPI(api, acceptedInAnOutage) }}, shows: "m2: received, acknowledge\nm3: received, acknowledge\n\nledger"},
		{transcript: "http_without_a_sweeper", defect: "answers that are kept longer than a sweeper runs", plant: sim.Plant{API: repeatingAPI()}, shows: "no sweeper has run for 10m0s"},
		{transcript: "lease_frozen_eight_days", defect: "the window is not checked on the signature (N9)", plant: noGuard, shows: "contact 2 for n1"},
		{transcript: "lease_late_fact", defect: "a fact is dropped that comes after the lease (N23)", plant: deaf, shows: "was written last"},
		{transcript: "lease_late_fact_closes_a_doubt", defect: "a fact is dropped (N23, R28)", plant: deaf, shows: "was written last"},
		{transcript: "lease_stolen", defect: "the lease is no bound of the signature", plant: noGuard, shows: "n1 result at 2m30s, ok\nn1 result at 2m30s, ok"},
		{transcript: "phone_restarts_under_way", defect: "a token that changes with each attempt (N1)", plant: dialer(func(d call.Dialer) call.Dialer { random.Dialer = d; return random }), shows: "contact 2 for n1"},
		{transcript: "refusal_consumes_the_token", defect: "an intent that is not durable", plant: ledger(func(l call.Ledger) call.Ledger { return &lazyLedger{Ledger: l, held: map[string]call.Write{}} }), hides: "n1 intent at 48h0m0s"},
		{transcript: "refusal_of_the_setup", defect: "the setup's refusal is taken for the request's", plant: lies(call.ClassRefusedSetup, call.ClassRefusedRequest), shows: "n1 failed"},
		{transcript: "recall_double_click", defect: "the number of the last ring is not kept (R6)", plant: drops(call.EventRingOpened), shows: "was written last"},
		{transcript: "restore_after_the_token", defect: "no recovery (N15)", plant: sim.Plant{NoRecovery: true}, shows: "contact 3 for n1"},
		{transcript: "restore_asks_for_an_unknown_key", defect: "a random token (N16)", plant: sim.Plant{Token: randomToken()}, shows: "contact 3 for n1"},
		{transcript: "restore_counts_for_the_speed", defect: "no speed limit", plant: sim.Plant{Config: func(c *app.Config) { c.Limits.Velocity = nil }}, hides: "contact 4 for n3 at 19h16m0s"},
		{transcript: "source_batch_with_a_poison", defect: "everything is acknowledged", plant: always, shows: "n2 was acknowledged"},
		{transcript: "throttle_storm", defect: "a throttle is taken for a refusal", plant: lies(call.ClassThrottled, call.ClassRefusedRequest), shows: "n1 failed"},
		{transcript: "window_duplicate", defect: "a memory as short as the token's life (N6)", plant: short, shows: "contact 2 for n1"},
		{transcript: "window_late_redelivery", defect: "a memory as short as the token's life (N6)", plant: short, shows: "contact 2 for n1"},
		{transcript: "window_reopened", defect: "a token without ring number (R14)", plant: sim.Plant{Token: ringlessToken}, shows: "m2: failed (token_taken)"},
	}
}

// joinedSharps are those of a call that becomes a step of a list.
func joinedSharps() []sharp {
	joins := func(change func(c *call.Call, _ call.Event)) sim.Plant {
		return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return changingLedger{l, call.EventJoined, change} }}
	}
	turnless := joins(func(c *call.Call, _ call.Event) { c.JoinedTurn = time.Time{} })
	unasked := joins(func(c *call.Call, _ call.Event) { c.Outcome = call.OutcomeUnknown })
	return []sharp{
		{transcript: "after_joined_again_and_died", defect: "a row that does not say in which turn it joined", plant: turnless, shows: "the list of n1 passes over n1@bob, whose call goes on with it"},
		{transcript: "after_joined_again_is_not_rung_anew", defect: "a row that does not say in which turn it joined", plant: turnless, shows: "n1@bob is rung anew in the turn in which it joined the list of n1"},
		{transcript: "restore_outcome_of_an_acknowledged_key", defect: "a step of a list whose end nobody asks for", plant: unasked, hides: "n1@bob seen at 42m0s, describe"},
	}
}

// withoutHours lets every profile dial at any time.
func withoutHours(c *app.Config) {
	for name, p := range c.Profiles {
		p.Hours = nil
		c.Profiles[name] = p
	}
}

// TestATranscriptIsSharp plays transcripts with a defect: one that goes as always says nothing about what it tells.
func TestATranscriptIsSharp(t *testing.T) {
	for _, s := range append(sharps(), joinedSharps()...) {
		t.Run(s.transcript, func(t *testing.T) {
			text, script := readTranscript(t, filepath.Join("testdata", s.transcript+".txt"))
			script.Setting.World = sim.Light
			played, w := playTranscript(t, script, sim.Options{Plant: s.plant})
			all := played + strings.Join(w.Findings(), "\n")
			switch {
			case s.hides != "" && (!strings.Contains(text, s.hides) || strings.Contains(all, s.hides)):
				t.Errorf("with %q it does not hide %q:\n%s", s.defect, s.hides, all)
			case s.hides == "" && (strings.Contains(text, s.shows) || !strings.Contains(all, s.shows)):
				t.Errorf("with %q, and with it only, it does not show %q:\n%s", s.defect, s.shows, all)
			}
		})
	}
}
