package emftest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/emf/emftest"
)

var at = time.Date(2026, 11, 29, 3, 0, 5, 0, time.UTC)

const good = `{"_aws":{"Timestamp":1795921205000,"CloudWatchMetrics":[{"Namespace":"ringonce","Dimensions":[["Function"]],"Metrics":[{"Name":"A","Unit":"Count"}]}]},"Function":"f","A":[1,2]}`

// Every rule is seen failing on a line that breaks it.
func TestEveryPlantedBreachIsReported(t *testing.T) {
	t.Parallel()
	if breaches := emftest.Check([]byte(good), at); len(breaches) > 0 {
		t.Fatalf("a good line is said to break %q", breaches)
	}
	many := strings.Repeat("1,", 100) + "1"
	var names, set []string
	for i := range 101 {
		names = append(names, fmt.Sprintf(`{"Name":"A%d","Unit":"Count"}`, i))
		set = append(set, fmt.Sprintf(`"D%d"`, i))
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"no JSON":                  {`}`, ``, "no JSON"},
		"text around it":           {`{"_aws"`, `INFO {"_aws"`, "no JSON"},
		"seconds":                  {`1795921205000`, `1795921205`, "milliseconds"},
		"no time":                  {`"Timestamp":1795921205000,`, ``, "no Timestamp"},
		"no namespace":             {`"ringonce"`, `""`, "no Namespace"},
		"no sets":                  {`[["Function"]]`, `[]`, "no dimension set"},
		"too many dimensions":      {`[["Function"]]`, `[[` + strings.Join(set, ",") + `]]`, "101 dimensions"},
		"a dimension without text": {`"Function":"f"`, `"Function":1`, "no value"},
		"a dimension that is gone": {`"Function":"f",`, ``, "no value"},
		"a long dimension":         {`"Function":"f"`, `"Function":"` + strings.Repeat("f", 1025) + `"`, "no value"},
		"too many metrics":         {`{"Name":"A","Unit":"Count"}`, strings.Join(names, ","), "101 metrics"},
		"no metric":                {`{"Name":"A","Unit":"Count"}`, ``, "0 metrics"},
		"a metric twice":           {`{"Name":"A","Unit":"Count"}`, `{"Name":"A","Unit":"Count"},{"Name":"A","Unit":"Count"}`, "twice"},
		"a unit of its own":        {`"Unit":"Count"`, `"Unit":"count"`, "does not exist"},
		"a text for a value":       {`[1,2]`, `"1"`, "no values"},
		"no value":                 {`[1,2]`, `[]`, "no values"},
		"null":                     {`[1,2]`, `null`, "no values"},
		"too many values":          {`[1,2]`, `[` + many + `]`, "or 101"},
		"a member of its own":      {`"A":[1,2]`, `"A":[1,2],"requestId":"x"`, "nowhere"},
		"too long":                 {`"A":[1,2]`, `"A":[1,2]` + strings.Repeat(" ", 256<<10), "bytes"},
	} {
		line := strings.Replace(good, c.old, c.new, 1)
		if breaches := strings.Join(emftest.Check([]byte(line), at), "; "); !strings.Contains(breaches, c.says) {
			t.Errorf("%s: reported %q, not %q", name, breaches, c.says)
		}
	}
}

func TestTheSeriesOfALineAreRead(t *testing.T) {
	t.Parallel()
	kept, err := emftest.Read([]byte(good))
	if err != nil || len(kept) != 1 || len(kept[emftest.Series{Name: "A", Function: "f"}]) != 2 {
		t.Errorf("read %v, %v", kept, err)
	}
	for _, bad := range []string{`{}`, `[`, strings.ReplaceAll(good, "Function", "Number")} {
		if kept, err := emftest.Read([]byte(bad)); err == nil {
			t.Errorf("%s was read as %v", bad, kept)
		}
	}
}
