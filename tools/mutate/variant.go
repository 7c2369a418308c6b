package main

// variant is a wrong variant of protocol.md section 15 or 16, and what stands for it here.
type variant struct {
	ID string `yaml:"id"`
	As string `yaml:"as"`
	// Tests plant or hold it where no mutant can: "PACKAGE Name". Beside a mutant they are further ones.
	Tests []test `yaml:"tests"`
	Why   string `yaml:"why"` // of every variant that is no mutant
}

// What can stand for a variant.
const (
	asMutant     = "mutant"     // code-shaped here: the mutant of the same id
	asPlanted    = "planted"    // configuration, a switch of the emulator or an act of an operator: a test plants it
	asImpossible = "impossible" // this code has no place for it
	asControl    = "control"    // nothing may go wrong, and a test sees that nothing does
)
