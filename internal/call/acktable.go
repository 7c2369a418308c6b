package call

// Ack is what a source is told about a delivery.
type Ack string

// The acknowledgements. Each way in translates them: a partial batch response, an error, a status code.
const (
	AckDone   Ack = "acknowledge" // the source may forget the delivery
	AckRetry  Ack = "retry"       // the source delivers it again
	AckRefuse Ack = "refuse"      // it will never ring as it is: on a queue it travels to the DLQ, on HTTP it is a 4xx
	AckNever  Ack = "-"           // the cell cannot occur
)

// Mode says whether a ledger stands behind an answer.
type Mode string

// The ledger modes.
const (
	ModeNone   Mode = "none"
	ModeLedger Mode = "ledger"
)

// Sources lists every source in the order of the acknowledge table's columns.
func Sources() []Source {
	return []Source{
		SourceSQS, SourceSQSFIFO, SourceSNS, SourceEventBridge, SourceKinesis, SourceDynamoDB, SourceKafka, SourceCustomBus, SourceHTTP, SourceDirect,
	}
}

// Acks are the acknowledgements of one row, in the order of [Sources].
type Acks [10]Ack

// AckRow is a line of the acknowledge table.
type AckRow struct {
	Met     Situation
	Mode    Mode
	Sweeper bool // a heartbeat younger than 5 minutes; without a ledger there is none
	Acks    Acks
	Why     string
}

const (
	y = AckDone
	r = AckRetry
	x = AckRefuse
	n = AckNever
)

// AckTable returns the whole table: state x source x ledger mode x sweeper (protocol.md section 8). The columns of Acks are
// [Sources]. It is the one place where acknowledging is decided; docs/acknowledge.md is generated from it.
func AckTable() []AckRow {
	return []AckRow{
		//                                sqs fifo sns eb kinesis dynamodb kafka bus http direct
		{MetReceived, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "stored; the sweep dials it when it is due"},
		{MetReceived, ModeLedger, false, Acks{r, r, r, r, r, r, r, r, r, r}, "no sweeper runs: redelivery must drive the call"},
		{MetDialing, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "the sweep resolves the open attempt"},
		{MetDialing, ModeLedger, false, Acks{r, r, r, r, r, r, r, r, r, r}, "no sweeper runs: redelivery must resolve the open attempt"},
		{MetPlaced, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetPlaced, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetFailed, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "final, with its reason in the ledger"},
		{MetFailed, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "final, with its reason in the ledger"},
		{MetExpired, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetExpired, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetCanceled, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetCanceled, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "final"},
		{MetInDoubt, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "final; evidence or a person closes the doubt, redelivery cannot"},
		{MetInDoubt, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "final; evidence or a person closes the doubt, redelivery cannot"},
		{MetCancelKept, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "the cancel is durable"},
		{MetCancelKept, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "the cancel is durable"},
		{MetConflict, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, x, x}, "recorded once beside the call; only HTTP and direct callers wait for the answer"},
		{MetConflict, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, x, x}, "recorded once beside the call; only HTTP and direct callers wait for the answer"},
		{MetRefused, ModeLedger, true, Acks{x, x, x, x, x, x, x, x, x, x}, "no row keeps it, so the DLQ must"},
		{MetRefused, ModeLedger, false, Acks{x, x, x, x, x, x, x, x, x, x}, "no row keeps it, so the DLQ must"},
		{MetStale, ModeLedger, true, Acks{n, n, n, n, n, n, n, n, n, n}, "a ledger remembers longer than the token"},
		{MetStale, ModeLedger, false, Acks{n, n, n, n, n, n, n, n, n, n}, "a ledger remembers longer than the token"},
		{MetUnreadable, ModeLedger, true, Acks{x, x, x, x, x, x, x, x, x, x}, "never dropped silently: it travels to the DLQ"},
		{MetUnreadable, ModeLedger, false, Acks{x, x, x, x, x, x, x, x, x, x}, "never dropped silently: it travels to the DLQ"},
		{MetParked, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, x, x}, "kept with its bytes until somebody feeds or drops it; only HTTP and direct callers wait for the answer"},
		{MetParked, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, x, x}, "kept with its bytes until somebody feeds or drops it; only HTTP and direct callers wait for the answer"},
		{MetTaken, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, y, y}, "what an event tells of a contact is in the ledger, or it is about no call of ours"},
		{MetTaken, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, y, y}, "what an event tells of a contact is in the ledger, or it is about no call of ours"},
		{MetIgnored, ModeLedger, true, Acks{y, y, y, y, y, y, y, y, x, y}, "not a request by its shape; logged and counted"},
		{MetIgnored, ModeLedger, false, Acks{y, y, y, y, y, y, y, y, x, y}, "not a request by its shape; logged and counted"},
		{MetUnavailable, ModeLedger, true, Acks{r, r, r, r, r, r, r, r, r, r}, "no acknowledgement and no dial without the ledger"},
		{MetUnavailable, ModeLedger, false, Acks{r, r, r, r, r, r, r, r, r, r}, "no acknowledgement and no dial without the ledger"},
		{MetUnknown, ModeLedger, true, Acks{n, n, n, n, n, n, n, n, n, n}, "with a ledger this is the state dialing"},
		{MetUnknown, ModeLedger, false, Acks{n, n, n, n, n, n, n, n, n, n}, "with a ledger this is the state dialing"},
		{MetRetryLater, ModeLedger, true, Acks{n, n, n, n, n, n, n, n, n, n}, "with a ledger this is the state received"},
		{MetRetryLater, ModeLedger, false, Acks{n, n, n, n, n, n, n, n, n, n}, "with a ledger this is the state received"},
		{MetNotStarted, ModeLedger, true, Acks{r, r, r, r, r, r, r, r, r, r}, "nothing was written"},
		{MetNotStarted, ModeLedger, false, Acks{r, r, r, r, r, r, r, r, r, r}, "nothing was written"},

		{MetReceived, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "nothing is stored"},
		{MetDialing, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "nothing is stored"},
		{MetPlaced, ModeNone, false, Acks{y, y, y, y, y, y, y, y, y, y}, "Amazon Connect returned the contact id, new or old"},
		{MetFailed, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "refused for good; no ledger keeps it, so the DLQ must"},
		{MetExpired, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "past notAfter; no ledger keeps it, so the DLQ must"},
		{MetCanceled, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "a cancel needs a ledger"},
		{MetInDoubt, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "nothing is stored"},
		{MetCancelKept, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "a cancel needs a ledger"},
		{MetConflict, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "two fingerprints for one key in one batch"},
		{MetRefused, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "it travels to the DLQ"},
		{MetStale, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "older than the token protects; it travels to the DLQ"},
		{MetUnreadable, ModeNone, false, Acks{x, x, x, x, x, x, x, x, x, x}, "never dropped silently: it travels to the DLQ"},
		{MetParked, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "parking needs a ledger"},
		{MetTaken, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "what became of a contact needs a ledger"},
		{MetIgnored, ModeNone, false, Acks{y, y, y, y, y, y, y, y, x, y}, "not a request by its shape; logged and counted"},
		{MetUnavailable, ModeNone, false, Acks{n, n, n, n, n, n, n, n, n, n}, "there is no ledger to be unavailable"},
		{MetUnknown, ModeNone, false, Acks{r, r, r, r, r, r, r, r, r, r}, "the same token is sent again on redelivery"},
		{MetRetryLater, ModeNone, false, Acks{r, r, r, r, r, r, r, r, r, r}, "nothing rang; the source keeps the request"},
		{MetNotStarted, ModeNone, false, Acks{r, r, r, r, r, r, r, r, r, r}, "nothing was sent"},
	}
}

type ackKey struct {
	met     Situation
	source  Source
	mode    Mode
	sweeper bool
}

var ackIndex = indexAcks()

func indexAcks() map[ackKey]Ack {
	index := map[ackKey]Ack{}
	for _, row := range AckTable() {
		for i, source := range Sources() {
			index[ackKey{row.Met, source, row.Mode, row.Sweeper}] = row.Acks[i]
		}
	}
	return index
}

// Acknowledge looks the answer up. A combination that is not in the table, or cannot occur, is retried: nothing is lost by it.
func Acknowledge(met Situation, source Source, mode Mode, sweeper bool) Ack {
	ack, ok := ackIndex[ackKey{met, source, mode, sweeper && mode == ModeLedger}]
	if !ok || ack == AckNever {
		return AckRetry
	}
	return ack
}
