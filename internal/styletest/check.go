package styletest

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one place where the tree breaks a rule.
type Finding struct {
	// Path is relative to the module's root, with forward slashes.
	Path string
	// Line counts from 1; 0 means the file or folder as a whole.
	Line int
	// Message says what is wrong and what to do, in one line.
	Message string
}

// String renders the finding the way compilers do, so that editors can jump to it.
func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.Path, f.Message)
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message)
}

// at returns a finding; line 0 means the whole file or folder.
func at(path string, line int, format string, args ...any) Finding {
	return Finding{Path: path, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Check is one house rule.
type Check struct {
	// Name is a short slug, unique among [Checks].
	Name string
	// Why is the reason for the rule, one sentence.
	Why string
	// Find reads the tree and returns what breaks the rule; it changes nothing and reads nothing else.
	Find func(*Tree) []Finding
}

// Checks returns every house rule.
func Checks() []Check {
	return []Check{
		parses(),
		functionLength(),
		fileLength(),
		mainLength(),
		packageComments(),
		packageNames(),
		forbiddenWords(),
		imports(),
		subjects(),
		lambdaLink(),
		purity(),
		skippedTests(),
		phoneNumbers(),
		machinePaths(),
		links(),
	}
}

// sorted orders findings by place, so that two runs print the same list.
func sorted(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return findings
}
