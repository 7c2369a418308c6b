package access_test

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

func TestTheScopesThatAGuardKnowsHoldNothingOfACredential(t *testing.T) {
	t.Parallel()
	c := &clock{now: start}
	path := filepath.Join(t.TempDir(), "keys.json")
	file := access.KeyFile{Path: path, Clock: c, Random: rand.Reader}
	shared := access.Grants{{Name: "calls", Producers: []string{"fax"}}}
	var texts []string
	for _, s := range []access.Scope{
		{Producer: "crm", Profiles: []string{"a"}}, {Producer: "crm", Profiles: []string{"b"}, Rate: access.Rate{PerSecond: 9, Burst: 9}}, {Producer: "fax", KeySpace: "calls"}, {Producer: "gone"},
	} {
		text, record, err := file.Add(s, time.Time{})
		if s.Producer == "gone" && err == nil {
			_, err = file.Revoke(record.Prefix)
		}
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text, record.SHA256)
	}
	text, record, err := file.AddOperator("olga", access.RoleAdmin, time.Time{}) // no producer, and none without a name
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, text, record.SHA256)
	keys, err := access.OpenKeys(path, c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	guard, err := access.NewGuard(access.Options{
		Keys: keys, Certificates: map[string]string{"dns:erp.example": "erp"}, Scopes: []access.Scope{{Producer: "erp", Profiles: []string{"x"}}}, Grants: shared,
		Rate: access.Rate{PerSecond: 2, Burst: 3}, Clock: c, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal(guard.Scopes())
	if err != nil {
		t.Fatal(err)
	}
	rate := access.Rate{PerSecond: 2, Burst: 3}
	want := []access.Scope{
		{Producer: "crm", KeySpace: "crm", Profiles: []string{"a", "b"}, Rate: access.Rate{PerSecond: 9, Burst: 9}},
		{Producer: "erp", KeySpace: "erp", Profiles: []string{"x"}, Rate: rate},
		{Producer: "fax", KeySpace: "calls", Rate: rate},
	}
	if got := guard.Scopes(); !slices.EqualFunc(got, want, func(a, b access.Scope) bool { return reflect.DeepEqual(fillUp(a), fillUp(b)) }) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	for _, key := range texts {
		if strings.Contains(string(told), key[len(key)-8:]) {
			t.Error("a part of a key is told")
		}
	}
}

// fillUp makes no list and an empty one the same.
func fillUp(s access.Scope) access.Scope {
	s.Reads, s.Profiles = append([]string{}, s.Reads...), append([]string{}, s.Profiles...)
	return s
}
