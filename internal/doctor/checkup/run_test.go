package checkup_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/awsaccount"
	"github.com/ringonce/ringonce/internal/doctor/checkup"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// machine is a clock that may be wrong.
type machine struct{ wrong time.Duration }

// Now returns the time of this machine, wrong by as much as the test says.
func (m machine) Now() time.Time { return time.Now().Add(m.wrong) }

// Sleep is not needed to look.
func (m machine) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

type credentials struct{}

// Retrieve implements aws.CredentialsProvider.
func (credentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}

// world is a whole set-up: an account, a ledger, a disk.
type world struct {
	account *double
	subject checkup.Subject
	ledger  *memory.Ledger
	books   checkup.Books
	disk    doctor.Disk
	holding doctor.Holding
	clock   machine
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{account: sound(), ledger: memory.New(memory.Options{})}
	w.books = checkup.Books{
		Name: "calls", Naming: call.Naming{Mode: call.IdentityPlain}, Ledger: w.ledger, Index: w.ledger, Journal: w.ledger, Close: func() error { return nil },
		WentBack: func(context.Context) (string, error) { return "", nil },
		Holding:  func(context.Context) (doctor.Holding, error) { return w.holding, nil },
	}
	w.disk = doctor.Disk{Path: "calls.db", Modes: map[string]fs.FileMode{"calls.db": 0o600}, Witness: "witness", Present: true, Free: 1 << 40}
	w.subject = checkup.Subject{
		Production: true, Driver: "dynamodb", PerSecond: 2, SharedPace: true, Reserve: 15 * time.Second, HasQuotas: true, LedgerName: "calls", Now: time.Now(),
		Profiles: []call.Profile{{
			Name: "alert", Region: "us-east-1", InstanceID: instance, ContactFlowID: flow, QueueID: callers, SourcePhone: "+12025550100", Resend: call.ResendNever,
		}},
		Numbering: doctor.Numbering{Source: "phonenumbers", Version: "v1.8.1", Released: time.Now().AddDate(0, -5, 0), Prefixes: 2000, Zones: "tz database 2026f"},
		Names:     checkup.Names{Queue: queueURL, Function: "ringonce", ScheduleGroup: "default", Schedule: "sweep", Bus: "default", Rule: "contacts", Table: "calls"},
	}
	if err := w.ledger.Beat(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return w
}

// run looks at the world.
func (w *world) run(t *testing.T) []doctor.Finding {
	t.Helper()
	server := httptest.NewServer(w.account)
	t.Cleanup(server.Close)
	account := awsaccount.New(awsaccount.Options{
		Region: "us-east-1", Credentials: credentials{}, Clock: w.clock, Endpoint: server.URL, ConnectEndpoint: server.URL, TableEndpoint: server.URL,
	})
	s := w.subject
	s.Caller, s.Functions, s.Events, s.Tables, s.Clocks = account, account, account, account, &checkup.Clocks{}
	s.Clocks.Add(account)
	s.Telephone = func(string) checkup.Telephone { return account }
	if s.Driver != "none" {
		s.OpenLedger = func(context.Context) (*checkup.Books, error) { return &w.books, nil }
		s.Disk = func() (doctor.Disk, error) { return w.disk, nil }
	}
	return checkup.Run(t.Context(), s)
}

func bad(findings []doctor.Finding) []doctor.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f doctor.Finding) bool { return f.Level == doctor.OK })
}

func TestASoundSetUpIsInOrderAndEveryCheckHasLooked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	findings := w.run(t)
	if found := bad(findings); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	elsewhere := []string{"source", "table", "no-ledger"} // speak only when something is wrong
	for _, c := range doctor.Checks() {
		looked := slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Check == c.Name })
		if !looked && !slices.Contains(elsewhere, c.Name) && c.Name != "caller-id" {
			t.Errorf("nothing was said about %s", c.Name)
		}
	}
}

// TestOnlyOperationsThatReadAreSent holds every request on the wire to the list in the documentation, in both directions.
func TestOnlyOperationsThatReadAreSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	sent := w.account.actions()
	for _, read := range awsaccount.Reads() {
		if !sent[read.Action] {
			t.Errorf("%s was never sent: the list promises more than is read", read.Action)
		}
		delete(sent, read.Action)
	}
	for action := range sent {
		t.Errorf("%s was sent and is not in the list of reads", action)
	}
	for _, read := range awsaccount.Reads() {
		_, verb, _ := strings.Cut(read.Action, ":")
		if !strings.HasPrefix(verb, "Get") && !strings.HasPrefix(verb, "Describe") && !strings.HasPrefix(verb, "List") {
			t.Errorf("%s does not read", read.Action)
		}
	}
}

// TestAnOperationThatChangesSomethingWouldBeSeen plants one.
func TestAnOperationThatChangesSomethingWouldBeSeen(t *testing.T) {
	t.Parallel()
	account := sound()
	server := httptest.NewServer(account)
	t.Cleanup(server.Close)
	client := sqs.New(sqs.Options{Region: "us-east-1", Credentials: credentials{}, BaseEndpoint: &server.URL, Retryer: aws.NopRetryer{}})
	if _, err := client.PurgeQueue(t.Context(), &sqs.PurgeQueueInput{QueueUrl: aws.String(queueURL)}); err == nil {
		t.Error("the double purged a queue")
	}
	if !account.actions()["sqs:PurgeQueue"] {
		t.Errorf("the double saw %v", account.actions())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// accept puts a call into the ledger that was due at the given time.
func (w *world) accept(due time.Time) call.Call {
	return w.write(call.Begin("row-1"), call.Event{
		Kind: call.EventAccepted, At: due, Due: due, Reason: "accepted",
		Opening: &call.Opening{Destination: "+819000000001", Fingerprint: "f", Cause: call.CauseRequest},
	})
}

// fail makes it one that Amazon Connect refused.
func (w *world) fail(code call.Code) {
	now := time.Now()
	w.write(w.accept(now), call.Event{Kind: call.EventFailed, At: now, Code: code})
}

func (w *world) write(row call.Call, e call.Event) call.Call {
	write, err := row.Write(e, fmt.Sprint("op-", row.Version))
	must(err)
	put := w.ledger.Update
	if row.Version == 0 {
		put = w.ledger.Create
	}
	written, err := put(context.Background(), write)
	must(err)
	return written.Row
}

// also names checks that fall with a defect, beside its own.
var also = map[string][]string{
	"no-ledger/token": {"memory"},
	"table-ttl/on":    {"memory"},
}

func TestEachPlantedDefectIsFoundByItsOwnCheck(t *testing.T) {
	t.Parallel()
	for name, plant := range plants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			plant(w)
			check, _, _ := strings.Cut(name, "/")
			found := bad(w.run(t))
			if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == check }) {
				t.Fatalf("found only %+v", found)
			}
			for _, f := range found {
				if f.Check != check && !slices.Contains(also[name], f.Check) {
					t.Errorf("found beside it %+v", f)
				}
				if f.What == "" || f.Why == "" || f.Fix == "" || strings.Contains(f.What+f.Why+f.Fix, "+12025550142") {
					t.Errorf("says %+v", f)
				}
				i := slices.IndexFunc(doctor.Checks(), func(c doctor.Check) bool { return c.Name == f.Check })
				if i < 0 || slices.Index(doctor.Levels(), f.Level) > slices.Index(doctor.Levels(), doctor.Checks()[i].Worst) && f.Level != doctor.Unknown {
					t.Errorf("the catalog knows no %s of level %s", f.Check, f.Level)
				}
			}
		})
	}
}

// TestADeniedLookNamesThePermissionAndHidesNothing denies one operation after the other, and beside each plants a defect elsewhere.
func TestADeniedLookNamesThePermissionAndHidesNothing(t *testing.T) {
	t.Parallel()
	for _, read := range awsaccount.Reads() {
		if read.Action == "sts:GetCallerIdentity" { // credentials that are refused there are a fault
			continue
		}
		t.Run(read.Action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.account.answers[read.Action] = refusal{http.StatusForbidden, "AccessDeniedException"}
			if read.Action == "sqs:GetQueueAttributes" {
				w.account.byKey = nil
			}
			w.disk.Spooled = 7
			named, elsewhere := false, false
			for _, f := range bad(w.run(t)) {
				named = named || f.Level == doctor.Unknown && strings.Contains(f.Fix, "Allow the action "+read.Action+" on ")
				elsewhere = elsewhere || f.Check == "spool"
				if f.Level == doctor.Fault {
					t.Errorf("called a fault: %+v", f)
				}
			}
			if !named || !elsewhere {
				t.Errorf("the permission was named: %t; the defect elsewhere was found: %t", named, elsewhere)
			}
		})
	}
}

func TestEveryCheckOfTheCatalogHasBeenSeenToFail(t *testing.T) {
	t.Parallel()
	failing := map[string]bool{"memory": true} // beside others
	for name := range plants() {
		check, _, _ := strings.Cut(name, "/")
		failing[check] = true
	}
	for _, c := range doctor.Checks() {
		if !failing[c.Name] {
			t.Errorf("no defect is planted for %s", c.Name)
		}
	}
}

// TestContactEventsMayHaveAQueueOfTheirOwn is the form of the deployment in deploy: another queue, which the function reads too, and the
// pattern of its rule.
func TestContactEventsMayHaveAQueueOfTheirOwn(t *testing.T) {
	t.Parallel()
	const own = "arn:aws:sqs:us-east-1:111122223333:contacts"
	w := newWorld(t)
	w.account.answers["events:DescribeRule"] = ruleOf(object{"EventPattern": `{"source":["aws.connect"],"detail-type":["Amazon Connect Contact Event"],` +
		`"detail":{"instanceArn":[{"suffix":":instance/` + instance + `"}],"initiationMethod":["API"]}}`})
	w.account.answers["events:ListTargetsByRule"] = object{"Targets": []object{{"Id": "1", "Arn": own}}}
	w.account.byKey["lambda:ListEventSourceMappings "+own] = mapping(object{"EventSourceArn": own})
	if found := bad(w.run(t)); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	w.account.byKey["lambda:ListEventSourceMappings "+own] = mapping(object{"EventSourceArn": own, "State": "Disabled"})
	if found := bad(w.run(t)); len(found) != 1 || found[0].Check != "contact-target" || found[0].Level != doctor.Fault {
		t.Errorf("a queue that nobody reads: found %+v", found)
	}
}
