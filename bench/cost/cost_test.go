package cost_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
)

var update = flag.Bool("update", false, "write the tables of docs/cost.md again")

// row is one line of the tables: what one first call and one duplicate use.
type row struct {
	name             string
	first, duplicate units
}

func measure(t *testing.T, name string, s setup) row {
	t.Helper()
	w := start(t, s)
	const calls = 20 // sizes differ by a few bytes from call to call: the sum is exact, the largest is shown
	r := row{name: name}
	for n := range calls {
		r.first = r.first.plus(w.place(n))
	}
	w.engine = w.process()
	w.sweep()
	if s.remember > 0 {
		for n := range calls { // the new process meets each call once before it remembers it
			w.place(n)
		}
	}
	for n := range calls {
		r.duplicate = r.duplicate.plus(w.place(n))
	}
	for _, u := range []*units{&r.first, &r.duplicate} {
		u.writes, u.reads, u.stored = u.writes/calls, u.reads/calls, u.stored/calls
		for name := range u.index {
			u.index[name] /= calls
		}
	}
	return r
}

func rows(t *testing.T) []row {
	t.Helper()
	return []row{
		{name: "`none` (the token alone)"},
		measure(t, "`dynamodb`, as configured by default, a process that remembers nothing", setup{}),
		measure(t, "the same, a process that remembers the call (`ledger.remember`)", setup{remember: 100}),
		measure(t, "`ledger.read_first: true`", setup{readFirst: true}),
		measure(t, "`ledger.suppressions: first-20`", setup{ledger: func(o *dynamodb.Options) { o.Suppressions = "first-20" }}),
		measure(t, "tokens kept unique (recipes `template`, `message`; key spaces)", setup{readFirst: true, ledger: func(o *dynamodb.Options) { o.UniqueTokens = true }}),
		measure(t, "encrypted (`ledger.kms_key`)", setup{encrypted: true}),
		measure(t, "a request with 3 KB of attributes (side item)", setup{large: true}),
		measure(t, "one answer of Amazon Connect lost, the attempt sent again", setup{loses: true}),
		powertools(),
	}
}

// TestTheCostPageSaysWhatIsCounted compares the tables of docs/cost.md with what is counted now.
func TestTheCostPageSaysWhatIsCounted(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "cost.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counted := rows(t)
	want := string(page)
	for name, table := range map[string]string{"units": unitTable(counted), "money": moneyTable(counted), "month": monthTable(sweeping(t))} {
		if want, err = replace(want, name, table); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want != string(page) && !*update {
		t.Errorf("docs/cost.md is out of date; run go test ./bench/cost -update and look at the difference. Counted now:\n%s", unitTable(counted))
	}
}

// replace puts a table between the marks of its name.
func replace(page, name, table string) (string, error) {
	begin, end := "<!-- "+name+": counted by bench/cost -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("docs/cost.md has no marks of the table %s", name)
	}
	return before + begin + table + end + after, nil
}

func unitTable(rows []row) string {
	var out strings.Builder
	out.WriteString("| ledger | per 1,000 first calls: writes | index writes | reads | per 1,000 duplicates: writes | reads | largest item written, at most bytes |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", r.name, thousand(r.first.writes), thousand(r.first.indexed()), thousand(r.first.reads),
			thousand(r.duplicate.writes+r.duplicate.indexed()), thousand(r.duplicate.reads), grouped(atMost(r.first.largest)))
	}
	return out.String()
}

func thousand(n float64) string { return grouped(int(n*1000 + 0.5)) }

func grouped(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
	}
	return fmt.Sprint(n)
}

// atMost rounds a size up, with room for what times and ids compress to by chance.
func atMost(size int) int {
	if size == 0 {
		return 0
	}
	return (size + 20 + 49) / 50 * 50
}
