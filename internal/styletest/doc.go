// Package styletest holds the house rules a machine can check: the length of functions and files, package comments
// and names, the import rules, fictitious phone numbers, no machine paths, no skipped tests, links that lead
// somewhere.
//
// Every rule is a [Check]: a pure function from a [Tree] (the text files of the repository) to findings, one file per
// rule. The tests run all of them over the real tree, and each of them over small trees with a planted defect, because
// a rule that has never been broken proves nothing. Nothing here needs more than Go, so `make test` holds the rules
// where no linter is installed.
package styletest
