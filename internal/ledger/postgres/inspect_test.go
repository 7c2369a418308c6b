//go:build integration

package postgres_test

import (
	"testing"

	"github.com/ringonce/ringonce/internal/pgtest"
)

func TestAnInspectionFindsWhatWasChangedByHand(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, statement := range map[string]string{
		"a sound ledger":            "",
		"a state":                   "UPDATE calls SET state = 'placed' WHERE id = 'a'",
		"a due time":                "UPDATE calls SET due = NULL WHERE id = 'a'",
		"a token":                   "UPDATE calls SET token = 'another' WHERE id = 'a'",
		"a contact":                 "UPDATE calls SET contact = 'another' WHERE id = 'a'",
		"a recipient":               "UPDATE calls SET recipient = NULL WHERE id = 'a'",
		"a mark":                    "UPDATE calls SET forgotten = true WHERE id = 'a'",
		"a document":                "UPDATE calls SET doc = '' WHERE id = 'a'",
		"a call that is gone":       "DELETE FROM calls WHERE id = 'b'",
		"a write that is gone":      "DELETE FROM history WHERE number = 3",
		"a token of nobody":         "INSERT INTO erased_tokens VALUES ('h', 99)",
		"writes that changed place": "UPDATE history SET number = 99 WHERE op = 'op-a-1'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, settings(t, server))
			a := create(t, l, "a")
			create(t, l, "b")
			if _, err := l.Update(t.Context(), held(t, a, "op-a-2")); err != nil {
				t.Fatal(err)
			}
			if statement != "" {
				if _, err := l.Pool().Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			found, err := l.Inspect(t.Context())
			if err != nil || (len(found) > 0) != (statement != "") {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}
