package call

import (
	"fmt"
	"slices"
	"testing"
)

// holes returns what is missing, doubled or impossible in an acknowledge table.
func holes(table []AckRow) []string {
	var found []string
	seen := map[string]int{}
	for _, row := range table {
		seen[fmt.Sprint(row.Met, row.Mode, row.Sweeper)]++
		for i, source := range Sources() {
			if !slices.Contains([]Ack{AckDone, AckRetry, AckRefuse, AckNever}, row.Acks[i]) {
				found = append(found, fmt.Sprintf("%s %s %v %s holds %q", row.Met, row.Mode, row.Sweeper, source, row.Acks[i]))
			}
		}
		if row.Why == "" {
			found = append(found, fmt.Sprintf("%s %s %v has no reason", row.Met, row.Mode, row.Sweeper))
		}
		if row.Mode == ModeNone && row.Sweeper {
			found = append(found, fmt.Sprintf("%s: a sweeper without a ledger", row.Met))
		}
		if never := count(row.Acks, AckNever); never != 0 && never != len(row.Acks) {
			found = append(found, fmt.Sprintf("%s %s %v can occur from some sources only", row.Met, row.Mode, row.Sweeper))
		}
	}
	for _, met := range Situations() {
		for _, key := range []string{fmt.Sprint(met, ModeLedger, true), fmt.Sprint(met, ModeLedger, false), fmt.Sprint(met, ModeNone, false)} {
			if seen[key] != 1 {
				found = append(found, fmt.Sprintf("%s stands %d times", key, seen[key]))
			}
		}
	}
	if len(table) != 3*len(Situations()) {
		found = append(found, fmt.Sprintf("%d rows", len(table)))
	}
	return found
}

func count(acks Acks, want Ack) int {
	n := 0
	for _, a := range acks {
		if a == want {
			n++
		}
	}
	return n
}

func TestEveryCellOfTheAcknowledgeTableIsFilled(t *testing.T) {
	t.Parallel()
	if found := holes(AckTable()); len(found) > 0 {
		t.Error(found)
	}
}

func TestAHoleInTheAcknowledgeTableIsReported(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func([]AckRow) []AckRow{
		"a row is missing":           func(rows []AckRow) []AckRow { return rows[1:] },
		"a row stands twice":         func(rows []AckRow) []AckRow { return append(rows, rows[3]) },
		"a row stands for another":   func(rows []AckRow) []AckRow { rows[4] = rows[3]; return rows },
		"a cell is empty":            func(rows []AckRow) []AckRow { rows[7].Acks[2] = ""; return rows },
		"a cell holds another word":  func(rows []AckRow) []AckRow { rows[7].Acks[2] = "maybe"; return rows },
		"a reason is missing":        func(rows []AckRow) []AckRow { rows[9].Why = ""; return rows },
		"a sweeper without a ledger": func(rows []AckRow) []AckRow { rows[len(rows)-1].Sweeper = true; return rows },
		"half a row cannot occur":    func(rows []AckRow) []AckRow { rows[0].Acks[0] = AckNever; return rows },
	} {
		if len(holes(plant(AckTable()))) == 0 {
			t.Errorf("%s, and nothing is reported", name)
		}
	}
}

func TestTheAcknowledgeTableKeepsTheRules(t *testing.T) {
	t.Parallel()
	queues := []Source{SourceSQS, SourceSQSFIFO, SourceSNS, SourceEventBridge, SourceKinesis, SourceDynamoDB, SourceKafka, SourceCustomBus}
	for _, source := range Sources() {
		for _, s := range States() {
			for _, sweeper := range []bool{true, false} {
				want := AckDone
				if !s.Final() && !sweeper {
					want = AckRetry // R30: the acknowledgement rests on a sweeper
				}
				if got := Acknowledge(MetState(s), source, ModeLedger, sweeper); got != want {
					t.Errorf("%s from %s, sweeper %v: %s, want %s", s, source, sweeper, got, want)
				}
			}
		}
		for _, sweeper := range []bool{true, false} {
			if got := Acknowledge(MetUnavailable, source, ModeLedger, sweeper); got != AckRetry {
				t.Errorf("no ledger, %s: %s", source, got)
			}
			if got := Acknowledge(MetUnreadable, source, ModeLedger, sweeper); got != AckRefuse {
				t.Errorf("unreadable, %s: %s", source, got)
			}
		}
		for _, met := range []Situation{MetUnknown, MetRetryLater, MetNotStarted} {
			if got := Acknowledge(met, source, ModeNone, false); got != AckRetry {
				t.Errorf("%s without a ledger, %s: %s", met, source, got)
			}
		}
	}
	for _, source := range Sources() { // what no row keeps, only the source or its DLQ can
		for _, sweeper := range []bool{true, false} {
			if got := Acknowledge(MetRefused, source, ModeLedger, sweeper); got != AckRefuse {
				t.Errorf("refused, %s: %s", source, got)
			}
		}
		for _, met := range []Situation{MetRefused, MetFailed, MetExpired, MetStale, MetConflict, MetUnreadable} {
			if got := Acknowledge(met, source, ModeNone, false); got != AckRefuse {
				t.Errorf("%s without a ledger, %s: %s", met, source, got)
			}
		}
	}
	for _, source := range queues {
		if got := Acknowledge(MetConflict, source, ModeLedger, true); got != AckDone {
			t.Errorf("a recorded conflict from %s: %s", source, got)
		}
	}
	if got := Acknowledge(MetConflict, SourceHTTP, ModeLedger, true); got != AckRefuse {
		t.Errorf("a conflict over HTTP: %s", got)
	}
}

func TestWhatIsNotInTheTableIsRetried(t *testing.T) {
	t.Parallel()
	for _, got := range []Ack{
		Acknowledge("surprise", SourceSQS, ModeLedger, true), Acknowledge(MetPlaced, "carrier-pigeon", ModeLedger, true),
		Acknowledge(MetPlaced, SourceSQS, "cloud", true), Acknowledge(MetStale, SourceSQS, ModeLedger, true),
	} {
		if got != AckRetry {
			t.Errorf("%s", got)
		}
	}
	if Acknowledge(MetPlaced, SourceSQS, ModeNone, true) != AckDone {
		t.Error("a sweeper without a ledger changes the answer")
	}
}

func TestEveryStateHasASituationAndASentence(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range States() {
		if string(MetState(s)) != string(s) || said[s.Sentence()] {
			t.Errorf("%s: %s %q", s, MetState(s), s.Sentence())
		}
		said[s.Sentence()] = true
	}
	if MetState("lost") != MetUnavailable || State("lost").Sentence() == "" || State("lost").Final() {
		t.Error("an unknown state is answered as if it were known")
	}
}
