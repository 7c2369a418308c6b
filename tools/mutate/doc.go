// Command mutate plants deliberate bugs, one at a time, and sees that a test or a simulation reports each of them. A bug that nothing
// reports is a gap of the proof.
//
//	go run ./tools/mutate                 every mutant, by its tests (make mutate)
//	go run ./tools/mutate -quick 12       twelve of those that are caught fast; -rotate chooses which
//	go run ./tools/mutate -only R15,N25   these
//	go run ./tools/mutate -sim            every mutant, by the simulations alone: the first seed that sees it
//	go run ./tools/mutate -record         writes what was measured into data/measured.yaml
//	go run ./tools/mutate -markdown FILE  writes the tables of the proof, from the data alone
//
// A mutant is data (data/*.yaml): files, exact old texts, new texts, what goes wrong, and the tests that must see it, cheapest first. It is
// applied by the overlay of the go command, so the tree is never touched. A mutant whose old text does not occur exactly once, that does not
// compile, or whose tests fail without it, is an error of the data and never a pass. vet is off: only behavior counts.
//
// Exit codes: 0 every mutant was caught; 1 one survived; 2 the data or the command line is wrong.
package main

//go:generate go run . -markdown ../../docs/proof-mutants.md -into ../../docs/proof.md
