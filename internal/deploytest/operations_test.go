package deploytest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// neverInProduction are operations of the code that a deployed function does not call, each with its reason.
var neverInProduction = map[string]string{
	"dynamodb:CreateTable":     "ledger.create_table is refused in production",
	"connect:StartChatContact": "the deployment has one profile, of kind voice",
	"connect:StartTaskContact": "the deployment has one profile, of kind voice",
}

// ofThePlatform are permissions that the function's code does not use by itself, by who does.
var ofThePlatform = map[string]string{
	"sqs:ChangeMessageVisibility": "Lambda, for the event source mapping", "sqs:DeleteMessage": "Lambda, for the event source mapping",
	"sqs:GetQueueAttributes": "Lambda, for the event source mapping", "sqs:ReceiveMessage": "Lambda, for the event source mapping",
	"sqs:SendMessage": "Lambda, for the on-failure destination; hints", "logs:CreateLogStream": "Lambda", "logs:PutLogEvents": "Lambda",
	"xray:PutTraceSegments": "Lambda", "xray:PutTelemetryRecords": "Lambda", "iam:PassRole": "EventBridge Scheduler asks for it in CreateSchedule",
	"kms:Decrypt": "DynamoDB and SQS, for the caller", "kms:GenerateDataKey": "DynamoDB and SQS, for the caller",
}

// optionalServices are the services whose code comes with an option.
var optionalServices = []string{"kms", "scheduler", "secretsmanager", "sqs", "ssm"}

// TestTheFunctionMayDoWhatItsCodeDoes compares the operations of every package that is linked into the function with its role.
func TestTheFunctionMayDoWhatItsCodeDoes(t *testing.T) {
	t.Parallel()
	used := operations(t)
	for _, service := range []string{"connect", "dynamodb"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(o string) bool { return strings.HasPrefix(o, service+":") }) {
			t.Fatalf("no operation of %s was found in %v", service, used)
		}
	}
	sam, _ := read(t).stacks(t, sets()["everything"])
	for _, complaint := range compare(used, sam) {
		t.Error(complaint)
	}
}

// compare returns the operations without a permission and the permissions without an operation.
func compare(used map[string]bool, stack *Stack) []string {
	allowed := map[string]bool{}
	for _, statement := range stack.statements() {
		if statement.Holder == "ringonce-dialer" && statement.Effect == "Allow" {
			for _, action := range statement.Actions {
				allowed[action] = true
			}
		}
	}
	var found []string
	for _, operation := range slices.Sorted(maps.Keys(used)) {
		if !allowed[operation] && neverInProduction[operation] == "" {
			found = append(found, "the code calls "+operation+" and the role may not")
		}
	}
	for _, action := range slices.Sorted(maps.Keys(allowed)) {
		service, _, _ := strings.Cut(action, ":")
		optional := slices.Contains(optionalServices, service)
		if !used[action] && ofThePlatform[action] == "" && !optional {
			found = append(found, "the role may "+action+" and no code calls it")
		}
	}
	return found
}

func TestAnOperationWithoutItsPermissionIsSeen(t *testing.T) {
	t.Parallel()
	sam, _ := read(t).stacks(t, sets()["everything"])
	used := operations(t)
	used["connect:StartEmailContact"] = true
	delete(used, "connect:StopContact")
	want := []string{"the code calls connect:StartEmailContact and the role may not", "the role may connect:StopContact and no code calls it"}
	if found := compare(used, sam); !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}

// operations returns the operations of AWS for which a package of the function makes a request.
func operations(t *testing.T) map[string]bool {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Dir}}{{end}}", "../../cmd/ringonce-lambda")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("list the packages of the function: %v", err)
	}
	used := map[string]bool{}
	for line := range bytes.Lines(output) {
		path, dir, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !ok || !strings.HasPrefix(path, "github.com/ringonce/ringonce/") {
			continue
		}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				requests(t, name, used)
			}
		}
	}
	return used
}

// requests adds the operations whose input is made in a file.
func requests(t *testing.T, name string, used map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	services := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		service, ok := strings.CutPrefix(path, sdk)
		if err != nil || !ok || strings.Contains(service, "/") {
			continue
		}
		if services[service] = service; spec.Name != nil {
			services[spec.Name.Name] = service
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		selector, ok := literal.Type.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		alias, isName := selector.X.(*ast.Ident)
		operation, isInput := strings.CutSuffix(selector.Sel.Name, "Input")
		if isName && isInput && services[alias.Name] != "" {
			used[services[alias.Name]+":"+operation] = true
		}
		return true
	})
}
