package cost_test

import (
	"strings"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// powertools is the documented pattern of Powertools for AWS Lambda (its manual, "Idempotency", DynamoDB persistence layer): a conditional
// put of a record in progress, an update with the function's result, and for a repeat one put whose condition fails and which brings the
// record with its error. The record holds the attributes of the manual's table.
func powertools() row {
	s := func(v string) tabletest.Value { return tabletest.Value{S: &v} }
	n := func(v string) tabletest.Value { return tabletest.Value{N: &v} }
	began := tabletest.Item{
		"id": s("place-calls.handler#" + strings.Repeat("0", 32)), "status": s("INPROGRESS"), "expiration": n("1796007600"),
		"in_progress_expiration": n("1796004060000"), "validation": s(strings.Repeat("0", 32)),
	}
	ended := tabletest.Item{
		"id": began["id"], "status": s("COMPLETED"), "expiration": began["expiration"], "in_progress_expiration": began["in_progress_expiration"],
		"validation": began["validation"], "data": s(`{"contactId":"0f8fad5b-d9cb-469f-a165-70867728950e"}`),
	}
	m := &meter{}
	m.wrote(nil, began)
	m.wrote(began, ended)
	first := m.used
	m.used = units{}
	m.wrote(ended, ended)
	return row{name: "Powertools' documented pattern (forgets after an hour by default)", first: first, duplicate: m.used}
}
