package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const made = `{"$schema":"x","bomFormat":"CycloneDX","specVersion":"1.6","serialNumber":"urn:uuid:1","version":1,"metadata":{"timestamp":"2026-11-29T03:00:00Z",
"tools":[{"name":"cyclonedx-gomod","hashes":[{"alg":"MD5","content":"1"}]}],"component":{"type":"application","name":"github.com/x/y","version":"devel"},
"properties":[{"name":"cdx:gomod:build:env:GOVERSION","value":"go1.26.8"}]},
"components":[
{"bom-ref":"b","type":"library","name":"example.org/b","version":"v1.2.0","scope":"required","hashes":[{"alg":"SHA-256","content":"bb"}],"licenses":[{"license":{"id":"MIT"}}],"purl":"pkg:golang/example.org/b@v1.2.0"},
{"bom-ref":"a","type":"library","name":"example.org/a","version":"v1.0.0","hashes":[{"alg":"SHA-256","content":"aa"}],"purl":"pkg:golang/example.org/a@v1.0.0"}],
"dependencies":[{"ref":"a"}]}`

func TestAListIsTidy(t *testing.T) {
	t.Parallel()
	got, err := tidy([]byte(made), "ringonce")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
"bomFormat": "CycloneDX",
"specVersion": "1.6",
"version": 1,
"metadata": {"component": {"type":"application","name":"ringonce"}},
"components": [
{"type":"library","name":"example.org/a","version":"v1.0.0","hashes":[{"alg":"SHA-256","content":"aa"}],"purl":"pkg:golang/example.org/a@v1.0.0"},
{"type":"library","name":"example.org/b","version":"v1.2.0","licenses":[{"license":{"id":"MIT"}}],"hashes":[{"alg":"SHA-256","content":"bb"}],"purl":"pkg:golang/example.org/b@v1.2.0"}
]
}
`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("the list is\n%s", got)
	}
	later := strings.NewReplacer("urn:uuid:1", "urn:uuid:2", "03:00:00Z", "04:00:00Z", "go1.26.8", "go1.26.9", `"content":"1"`, `"content":"2"`).Replace(made)
	if again, err := tidy([]byte(later), "ringonce"); err != nil || !bytes.Equal(again, got) {
		t.Errorf("another run writes\n%s, %v", again, err)
	}
	for _, bad := range []string{"", "{}", `{"specVersion":"1.6"}`} {
		if _, err := tidy([]byte(bad), "ringonce"); err == nil {
			t.Errorf("%q is a list", bad)
		}
	}
}

func TestEveryChangeIsSeenAndNothingElse(t *testing.T) {
	t.Parallel()
	committed, err := tidy([]byte(made), "ringonce")
	if err != nil {
		t.Fatal(err)
	}
	if changes := compare(committed, committed); len(changes) != 0 {
		t.Errorf("a list differs from itself: %q", changes)
	}
	for name, c := range map[string]struct {
		old, new string
		want     int
	}{
		"a version":     {"v1.2.0", "v1.3.0", 2},
		"a hash":        {`"bb"`, `"cc"`, 2},
		"a license":     {"MIT", "AGPL-3.0-only", 2},
		"a new module":  {`{"bom-ref":"b"`, `{"type":"library","name":"example.org/c","version":"v0.1.0"},{"bom-ref":"b"`, 1},
		"a lost module": {`,` + "\n" + `{"bom-ref":"a","type":"library","name":"example.org/a","version":"v1.0.0","hashes":[{"alg":"SHA-256","content":"aa"}],"purl":"pkg:golang/example.org/a@v1.0.0"}`, ``, 1},
	} {
		changed := strings.ReplaceAll(made, c.old, c.new)
		if changed == made {
			t.Fatalf("%s: nothing was planted", name)
		}
		now, err := tidy([]byte(changed), "ringonce")
		if err != nil {
			t.Fatal(err)
		}
		if changes := compare(committed, now); len(changes) != c.want {
			t.Errorf("%s: %q", name, changes)
		}
	}
	if changes := compare(nil, committed); len(changes) == 0 {
		t.Error("a list that is not there is no change")
	}
}

func TestACallWithoutItsToolIsRefused(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	for _, args := range [][]string{{}, {"a", "b"}, {"-diff", "a", "b"}} {
		if code := run(t.Context(), args, &out); code != 2 {
			t.Errorf("%q ended with %d", args, code)
		}
	}
}
