package postgres

import (
	"regexp"
	"strings"
	"testing"
)

var (
	unbinds = regexp.MustCompile(`SELECT set_config\(name, '0', false\) FROM pg_settings WHERE name IN \('lock_timeout', 'statement_timeout', 'transaction_timeout'\);`)
	binds   = regexp.MustCompile(`SELECT set_config\(name, reset_val, false\) FROM pg_settings WHERE name IN \('lock_timeout', 'statement_timeout', 'transaction_timeout'\);`)
	index   = regexp.MustCompile(`(DROP|CREATE) INDEX CONCURRENTLY (?:IF EXISTS )?(\w+)`)
)

// badly says what is wrong with how a migration makes indexes beside processes that run; empty when nothing is.
func badly(text string) string {
	made := index.FindAllStringSubmatchIndex(text, -1)
	if len(made) == 0 {
		return ""
	}
	from, to := unbinds.FindStringIndex(text), binds.FindStringIndex(text)
	first, last := made[0][0], made[len(made)-1][0]
	switch {
	case from == nil || from[0] > first:
		return "it waits for older transactions with a bound"
	case to == nil || to[0] < last:
		return "what follows waits without a bound"
	case strings.Contains(text[from[1]:to[0]], "ALTER"):
		return "it waits without a bound for a lock that stops writes"
	}
	dropped := map[string]bool{}
	for _, at := range made {
		if name := text[at[4]:at[5]]; text[at[2]:at[3]] == "DROP" {
			dropped[name] = true
		} else if !dropped[name] {
			return "an unfinished " + name + " stops it for ever"
		}
	}
	return ""
}

// A start may be killed, and a transaction may be open for hours, while an index is made (docs/postgres.md, "Migrations").
func TestIndexesAreMadeBesideOlderTransactionsAndAfterAKilledStart(t *testing.T) {
	t.Parallel()
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		text, err := migrations.ReadFile("migrations/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if wrong := badly(string(text)); wrong != "" {
			t.Errorf("%s: %s", file.Name(), wrong)
		}
		seen += len(index.FindAll(text, -1))
		if seen == 0 {
			continue
		}
		for name, planted := range map[string]string{
			"bounded":           unbinds.ReplaceAllString(string(text), ""),
			"never bound again": binds.ReplaceAllString(string(text), ""),
			"not dropped":       strings.ReplaceAll(string(text), "DROP INDEX CONCURRENTLY", "-- "),
			"a strong lock":     strings.Replace(string(text), "CREATE INDEX", "ALTER TABLE calls ADD COLUMN x text; CREATE INDEX", 1),
		} {
			if badly(planted) == "" {
				t.Errorf("%s, planted as %q, is not found", file.Name(), name)
			}
		}
	}
	if seen != 6 {
		t.Errorf("%d statements were looked at", seen)
	}
}
