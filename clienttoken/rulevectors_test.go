package clienttoken_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
)

type ruleVector struct{ Service, Operation, Base, Token string }

// wrongRuleVectors returns how many vectors the package does not agree with.
func wrongRuleVectors(vectors []ruleVector) (wrong []ruleVector) {
	for _, v := range vectors {
		r, err := clienttoken.For(v.Service, v.Operation)
		if err != nil {
			wrong = append(wrong, v)
			continue
		}
		if token, err := r.Token(v.Base); token != v.Token || (err == nil) != (v.Token != "") {
			wrong = append(wrong, v)
		}
	}
	return wrong
}

// TestRuleVectors compares the tokens with those of a second implementation, in another language.
func TestRuleVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "rule-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []ruleVector }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Vectors) != 290 {
		t.Fatalf("%d vectors, %v", len(file.Vectors), err)
	}
	if wrong := wrongRuleVectors(file.Vectors); len(wrong) > 0 {
		t.Errorf("%d differ, the first: %+v", len(wrong), wrong[0])
	}
	planted := []ruleVector{file.Vectors[3], file.Vectors[3]}
	planted[0].Token += "0"
	planted[1].Base += "0"
	if wrong := wrongRuleVectors(planted); len(wrong) != 2 {
		t.Errorf("planted faults were not seen: %+v", wrong)
	}
}
