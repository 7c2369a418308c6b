package clienttoken

import (
	"cmp"
	_ "embed" // the data
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// apis is what is known of the idempotency tokens of AWS. Every entry names its source.
//
//go:embed apis.json
var apis []byte

// entry is an entry of apis.json.
type entry struct {
	Service, Operation, Parameter string
	Required                      bool
	Min, Max                      int
	Pattern                       string
	AutoFilled                    bool
	Validity                      string // PnD, PTnH or PTnM (ISO 8601)
	Scope                         string
	Repeat                        Repeat
	Mismatch                      Mismatch
	Errors                        []string
	Like                          string // the operation whose tokens this one shares
	Note, Source                  string
}

// decoded holds the rules once they were asked for. It is no sync.OnceValue: that would be called for at the start of every program, and
// the linker would put the data into those that only make tokens of calls.
var decoded struct {
	sync.Once

	rules []Rule
}

// rules returns the decoded data.
func rules() []Rule {
	decoded.Do(func() { decoded.rules = decode() })
	return decoded.rules
}

// decode reads the data. It is a part of this package, so a fault in it is a fault of the package, and a test reads it.
func decode() []Rule {
	var entries []entry
	if err := json.Unmarshal(apis, &entries); err != nil {
		panic(fmt.Sprintf("clienttoken: apis.json: %v", err))
	}
	list := make([]Rule, 0, len(entries))
	for _, e := range entries {
		r := Rule{
			Service: e.Service, Operation: e.Operation, Parameter: e.Parameter, Required: e.Required, Min: e.Min, Max: e.Max, Pattern: e.Pattern,
			AutoFilled: e.AutoFilled, Validity: parseSpan(e.Validity), Scope: e.Scope, Repeat: e.Repeat, Mismatch: e.Mismatch, Errors: e.Errors,
			Note: e.Note, Source: e.Source, like: cmp.Or(e.Like, e.Operation),
		}
		if r.Pattern != "" && r.Usable() {
			r.pattern = regexp.MustCompile("^(?:" + r.Pattern + ")$")
		}
		list = append(list, r)
	}
	return list
}

// parseSpan reads the durations of apis.json: a whole number of days, hours or minutes.
func parseSpan(text string) time.Duration {
	for _, form := range []struct {
		before, after string
		unit          time.Duration
	}{{"PT", "M", time.Minute}, {"PT", "H", time.Hour}, {"P", "D", 24 * time.Hour}} {
		digits, found := strings.CutPrefix(text, form.before)
		digits, ends := strings.CutSuffix(digits, form.after)
		if n, err := strconv.Atoi(digits); found && ends && err == nil {
			return time.Duration(n) * form.unit
		}
	}
	return 0
}

// ValidFor writes how long a token is remembered, such as 7 days; empty when it is not stated.
func (r Rule) ValidFor() string {
	if r.Validity == 0 {
		return ""
	}
	return span(r.Validity)
}

// span writes a duration in the largest unit that divides it.
func span(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / unit.length); n > 0 && d%unit.length == 0 {
			if n == 1 {
				return "1 " + unit.name
			}
			return strconv.Itoa(n) + " " + unit.name + "s"
		}
	}
	return d.String()
}
