package main

import (
	"regexp/syntax"
	"slices"
)

// pattern walks a regular expression over digits, so that it can be asked which first digits may still become a match.
type pattern struct{ prog *syntax.Prog }

func compile(expression string) (pattern, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	return pattern{prog}, err
}

// state is a set of places in the expression.
type state []uint32

// start is the state before the first digit.
func (p pattern) start() state { return p.follow(nil, uint32(p.prog.Start)) } //nolint:gosec // an index of the program's few instructions

// step returns the state after one more digit; empty when no match can come of it.
func (p pattern) step(s state, digit rune) state {
	var next state
	for _, at := range s {
		if inst := &p.prog.Inst[at]; matches(inst, digit) {
			next = p.follow(next, inst.Out)
		}
	}
	return next
}

func matches(inst *syntax.Inst, digit rune) bool {
	consumes := inst.Op == syntax.InstRune || inst.Op == syntax.InstRune1 || inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL
	return consumes && inst.MatchRune(digit)
}

// follow adds a place and all that is reached from it without a digit.
func (p pattern) follow(s state, at uint32) state {
	if slices.Contains(s, at) {
		return s
	}
	inst := &p.prog.Inst[at]
	switch inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return p.follow(p.follow(s, inst.Out), inst.Arg)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		return p.follow(s, inst.Out)
	case syntax.InstFail:
		return s
	case syntax.InstMatch, syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
	}
	return append(s, at)
}

// ends reports whether the digits so far are a match.
func (p pattern) ends(s state) bool {
	return slices.ContainsFunc(s, func(at uint32) bool { return p.prog.Inst[at].Op == syntax.InstMatch })
}

// any returns the state after one more digit, whichever it is.
func (p pattern) any(s state) state {
	var next state
	for digit := '0'; digit <= '9'; digit++ {
		for _, at := range p.step(s, digit) {
			if !slices.Contains(next, at) {
				next = append(next, at)
			}
		}
	}
	return next
}
