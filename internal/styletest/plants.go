package styletest

import (
	"fmt"
	"path"
	"strings"
)

// Plant is a forbidden import put on purpose where a rule has to report it.
type Plant struct {
	// Rule is the name of the import rule that has to report it.
	Rule string
	// File is the path of the Go file that holds the import.
	File string
	// Import is the forbidden import path.
	Import string
	// Reason is the text the report has to contain.
	Reason string
}

// Source returns the content of the planted file.
func (p Plant) Source() string {
	return fmt.Sprintf("// Package planted breaks one import rule.\npackage planted\n\nimport _ %q // planted\n", p.Import)
}

// unlisted is a package no strict rule allows.
const unlisted = "example.org/unlisted"

// Plants returns one forbidden import for every denial of every rule, and one import that is on no list for every
// strict rule.
func Plants(rules []Rule) []Plant {
	var plants []Plant
	for _, rule := range rules {
		dir := path.Join(rule.Subject, "planted")
		for i, d := range rule.Deny {
			plants = append(plants, Plant{
				Rule: rule.Name, Import: importable(d.Pkg), Reason: d.Desc,
				File: path.Join(dir, fmt.Sprintf("denied%d.go", i)),
			})
		}
		if rule.Strict {
			plants = append(plants, Plant{
				Rule: rule.Name, Import: unlisted, Reason: "not",
				File: path.Join(dir, "unlisted.go"),
			})
		}
	}
	return plants
}

// importable turns a denied prefix into an import path that could exist.
func importable(pkg string) string {
	pkg = strings.TrimSuffix(pkg, "$")
	if strings.HasSuffix(pkg, "/") {
		return pkg + "planted"
	}
	return pkg
}
