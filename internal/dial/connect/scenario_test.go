package connect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV20NoRequestLeavesWithoutAClientToken(t *testing.T) {
	t.Parallel()
	requests := 0
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) {
		requests++
		return answerWith(http.StatusOK, `{"ContactId":"c"}`), nil
	}), nil)
	good := testSend(t, d)
	for name, spoil := range map[string]func(*call.Send){
		"no token": func(s *call.Send) { s.Token = "" },
		"no token in the body": func(s *call.Send) {
			s.Body = []byte(strings.Replace(string(s.Body), `"ClientToken"`, `"clientToken"`, 1))
		},
		"another in the body":    func(s *call.Send) { s.Token = "another" },
		"an empty one in both":   func(s *call.Send) { s.Body = []byte(strings.Replace(string(s.Body), s.Token, "", 1)); s.Token = "" },
		"a body that is no JSON": func(s *call.Send) { s.Body = []byte("x") },
	} {
		s := good
		spoil(&s)
		if got := d.Dial(t.Context(), s); got.Class != call.ClassNotSent || requests != 0 {
			t.Errorf("%s: %+v after %d requests", name, got, requests)
		}
	}
	if got := d.Dial(t.Context(), good); got.Class != call.ClassOK || requests != 1 {
		t.Errorf("with its token: %+v after %d requests", got, requests)
	}
}

// Every place in the program that makes the SDK's input names the token, since the SDK would invent one.
func TestScenarioV20EveryInputInTheProgramNamesItsToken(t *testing.T) {
	t.Parallel()
	inputs := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		// The demonstration leaves the token to the SDK on purpose, to show what becomes of it (ringonce demo --break sdk-token).
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "demo/breaks.go" {
			return err
		}
		text, err := fs.ReadFile(os.DirFS("../.."), path)
		if err != nil {
			return err
		}
		for _, named := range tokensOf(t, path, text) {
			inputs++
			if !named {
				t.Errorf("%s makes a request without a ClientToken", path)
			}
		}
		return nil
	})
	if err != nil || inputs == 0 {
		t.Errorf("%d inputs were found: %v", inputs, err)
	}
	planted := "package p\nvar x = connect.StartOutboundVoiceContactInput{InstanceId: i}\nvar y = &connect.StartOutboundVoiceContactInput{ClientToken: c}"
	if found := tokensOf(t, "planted.go", []byte(planted)); len(found) != 2 || found[0] || !found[1] {
		t.Errorf("the search is blind: %v", found)
	}
}

// tokensOf reports for each StartOutboundVoiceContactInput that a file makes whether it names a ClientToken.
func tokensOf(t *testing.T, path string, text []byte) (named []bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		kind, ok := literal.Type.(*ast.SelectorExpr)
		if !ok || kind.Sel.Name != "StartOutboundVoiceContactInput" {
			return true
		}
		has := false
		for _, e := range literal.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				key, isName := pair.Key.(*ast.Ident)
				has = has || isName && key.Name == "ClientToken"
			}
		}
		named = append(named, has)
		return true
	})
	return named
}
