package styletest

import (
	"strings"
)

// lambdaCommand is the folder of the binary that has to start in milliseconds.
const lambdaCommand = "cmd/ringonce-lambda"

// notInLambda names what that binary must not link, with the reason. Import rules see one step; this sees all of them.
var notInLambda = []struct{ prefix, reason string }{
	{"modernc.org/sqlite", "a function has no disk to keep a SQLite ledger on"},
	{Module + "/internal/rolecreds", "Lambda puts the credentials of its role into variables"},
	{"github.com/aws/aws-sdk-go-v2/credentials", "Lambda puts the credentials of its role into variables"},
	{"github.com/aws/aws-sdk-go-v2/feature", "Lambda puts the credentials of its role into variables"},
	{"github.com/aws/aws-sdk-go-v2/service/sts", "Lambda puts the credentials of its role into variables"},
	{"github.com/pressly/goose", "there is nothing to migrate"},
	{"github.com/jackc/pgx", "the Lambda binary carries the ledgers none and dynamodb only"},
	{"github.com/riverqueue/river", "a schedule wakes the function, not a queue of ours"},
	{"github.com/alecthomas/kong", "there is no command line"},
	{"github.com/nyaruka/phonenumbers", "phone metadata costs 6 MB and 6 ms of start"},
	{Module + "/internal/cli", "there is no command line"},
	{Module + "/internal/console", "it serves no pages"},
	{Module + "/internal/service", "it has no listener"},
	{Module + "/internal/ingress/sqspoll", "Lambda polls its queues"},
	{"github.com/prometheus", "nobody could scrape a function"},
	{Module + "/internal/ledger/sqlite", "a function has no disk to keep a SQLite ledger on"},
	{Module + "/internal/ledger/postgres", "the Lambda binary carries the ledgers none and dynamodb only"},
	{Module + "/connectemu", "it rings real phones only"},
	{"github.com/go-jose/go-jose", "nobody sends it a token"},
	{Module + "/internal/access", "IAM decides who invokes a function"},
	{Module + "/internal/auditlog", "a function has no disk to keep a log on"},
	{Module + "/internal/outbound", "it calls nobody whose address came from outside"},
	{Module + "/internal/twoperson", "IAM decides who invokes a function"},
	{"go.opentelemetry.io", "its traces are those of AWS X-Ray; the SDK and its exporter cost its start"},
	{Module + "/internal/otlp", "its traces are those of AWS X-Ray"},
	{Module + "/internal/doctor", "a function does not examine the account that it runs in"},
}

func lambdaLink() Check {
	return Check{
		Name: "lambda-link",
		Why:  "every package linked into the Lambda bootstrap is paid for at each cold start",
		Find: func(t *Tree) []Finding {
			var found []Finding
			if t.hasDir(lambdaCommand) && len(t.Links[lambdaCommand]) == 0 {
				found = append(found, at(lambdaCommand, 0, "what it links is unknown: it does not build"))
			}
			for _, linked := range t.Links[lambdaCommand] {
				for _, no := range notInLambda {
					if linked == no.prefix || strings.HasPrefix(linked, no.prefix+"/") {
						found = append(found, at(lambdaCommand, 0, "links %s: %s", linked, no.reason))
					}
				}
			}
			return found
		},
	}
}
