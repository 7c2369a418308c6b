package styletest

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// lintSettings is the file that holds the import rules, for the linter and for us: one list, read twice.
const lintSettings = ".golangci.yaml"

// Rule is one import rule of the lint settings.
type Rule struct {
	// Name is the rule's key in the settings.
	Name string
	// Strict means that everything not in Allow is forbidden; otherwise only what is in Deny is.
	Strict bool
	// Subject is the folder the rule is about; empty when it is about the whole tree.
	Subject string
	// Allow and Deny hold prefixes of import paths; "$gostd" stands for the standard library, a final "$" for exactly
	// this path.
	Allow []string
	// Deny is ordered as in the settings.
	Deny []Denied

	files, except []*regexp.Regexp
}

// Denied is one forbidden import of a rule.
type Denied struct {
	Pkg  string `yaml:"pkg"`
	Desc string `yaml:"desc"`
}

// ruleSettings is a rule as written; other settings of the file are not read.
type ruleSettings struct {
	ListMode string   `yaml:"list-mode"`
	Files    []string `yaml:"files"`
	Allow    []string `yaml:"allow"`
	Deny     []Denied `yaml:"deny"`
}

// ReadRules returns the import rules of a golangci-lint settings file, ordered by name.
func ReadRules(settings []byte) ([]Rule, error) {
	var file struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]ruleSettings `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	if err := yaml.Unmarshal(settings, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", lintSettings, err)
	}
	written := file.Linters.Settings.Depguard.Rules
	if len(written) == 0 {
		return nil, errors.New("no import rules in " + lintSettings)
	}
	var rules []Rule
	for _, name := range slices.Sorted(maps.Keys(written)) {
		rule, err := newRule(name, written[name])
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func newRule(name string, w ruleSettings) (Rule, error) {
	rule := Rule{Name: name, Strict: w.ListMode == "strict", Allow: w.Allow, Deny: w.Deny}
	if !rule.Strict && w.ListMode != "lax" {
		return Rule{}, fmt.Errorf("import rule %s: list-mode is %q, must be strict or lax", name, w.ListMode)
	}
	if len(w.Files) == 0 || strings.HasPrefix(w.Files[0], "!") {
		return Rule{}, fmt.Errorf("import rule %s: its first files pattern must name its subject", name)
	}
	for _, pattern := range w.Files {
		if no, ok := strings.CutPrefix(pattern, "!"); ok {
			rule.except = append(rule.except, glob(no))
		} else {
			rule.files = append(rule.files, glob(pattern))
		}
	}
	if subject, ok := strings.CutPrefix(w.Files[0], "**/"); ok {
		rule.Subject = strings.TrimSuffix(subject, "/**")
	}
	for _, d := range w.Deny {
		if strings.TrimSpace(d.Desc) == "" {
			return Rule{}, fmt.Errorf("import rule %s: %s is denied without a reason", name, d.Pkg)
		}
	}
	return rule, nil
}

// applies reports whether the rule speaks about the file at that path.
func (r Rule) applies(path string) bool {
	matches := func(re *regexp.Regexp) bool { return re.MatchString("/" + path) }
	return slices.ContainsFunc(r.files, matches) && !slices.ContainsFunc(r.except, matches)
}

// verdict returns why the rule forbids the import, or nothing. The longer prefix wins, as in depguard.
func (r Rule) verdict(imported string) string {
	allowed, denied, reason := 0, 0, ""
	for _, a := range r.Allow {
		allowed = max(allowed, prefixLength(a, imported))
	}
	for _, d := range r.Deny {
		if n := prefixLength(d.Pkg, imported); n > denied {
			denied, reason = n, d.Desc
		}
	}
	switch {
	case denied > 0 && allowed <= denied:
		return reason
	case r.Strict && allowed == 0:
		return "not in the list of what this package may import (rule " + r.Name + " in " + lintSettings + ")"
	}
	return ""
}

// prefixLength returns how much of the import path the pattern covers, 0 when it does not match.
func prefixLength(pattern, imported string) int {
	exact, isExact := strings.CutSuffix(pattern, "$")
	switch {
	case pattern == "$gostd" && isStandard(imported), isExact && imported == exact:
		return len(imported)
	case !isExact && strings.HasPrefix(imported, pattern):
		return len(pattern)
	}
	return 0
}

// isStandard holds for import paths whose first element has no dot, which the go command reserves for itself.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// glob translates a files pattern: ** crosses folders, * does not, $test and $all are depguard's own names.
func glob(pattern string) *regexp.Regexp {
	switch pattern {
	case "$test":
		pattern = "**_test.go"
	case "$all":
		pattern = "**.go"
	}
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*\*`, `.*`)
	quoted = strings.ReplaceAll(quoted, `\*`, `[^/]*`)
	return regexp.MustCompile(`^` + quoted + `$`)
}
