package main

import (
	"fmt"
	"slices"
	"strings"
)

// node is what the numbers below one prefix are: all the same, or as its children say.
type node struct {
	same     *found
	children map[rune]*node
}

// build asks for every digit what it leads to, until nothing is left to tell apart. nil means that no number begins so.
func build(regions []plan, national string, w where) *node {
	candidates := w.candidates(regions)
	if len(candidates) == 0 {
		return nil
	}
	if len(candidates) == 1 {
		return &node{same: judge(regions, candidates)}
	}
	if len(national) == deepest {
		same := judge(regions, candidates)
		same.except = w.byLength(regions, same.kind, len(national))
		return &node{same: same}
	}
	if len(national) >= regional && allOf(candidates, func(f found) bool { return f.kind == candidates[0].kind }) {
		return &node{same: judge(regions, candidates)}
	}
	n := &node{children: map[rune]*node{}}
	for digit := '0'; digit <= '9'; digit++ {
		if child := build(regions, national+string(digit), w.step(regions, digit)); child != nil {
			n.children[digit] = child
		}
	}
	return n.merged(judge(regions, candidates))
}

// merged returns the node as a leaf when all its children are the same, or when none of them can be.
func (n *node) merged(otherwise *found) *node {
	var only *found
	for _, child := range n.children {
		if child.same == nil || (only != nil && *only != *child.same) {
			return n
		}
		only = child.same
	}
	if only == nil {
		only = otherwise
	}
	return &node{same: only}
}

// exceptSize is how many bytes of found.except one length takes.
const exceptSize = 3

// mostDigits is how many national digits a number can have (ITU-T E.164: 15 in all).
const mostDigits = 14

// byLength lists the national lengths at which the numbers are of another kind than the given one, the worst that is possible there.
func (w where) byLength(regions []plan, usual kind, depth int) string {
	var text strings.Builder
	for length := depth; length <= mostDigits; length++ {
		at := kind(0)
		for i, p := range regions {
			for j, d := range p.kinds {
				if d.pattern.ends(w[i][j]) && (at == 0 || rank(d.kind) < rank(at)) {
					at = d.kind
				}
				w[i][j] = d.pattern.any(w[i][j])
			}
		}
		if at != 0 && at != usual {
			fmt.Fprintf(&text, "%02d%c", length, at)
		}
	}
	return text.String()
}

// judge chooses among the candidates: the worst kind, and the main region where several have it.
func judge(regions []plan, candidates []found) *found {
	best := candidates[0]
	for _, f := range candidates[1:] {
		if rank(f.kind) < rank(best.kind) || (f.kind == best.kind && f.region == mainOf(regions)) {
			best = f
		}
	}
	if best.kind != ordinary {
		best.region = mainOf(regions) // of which of them a premium number is matters to nobody
	}
	return &best
}

func rank(k kind) int { return slices.Index(worst, k) }

func allOf(list []found, holds func(found) bool) bool {
	return !slices.ContainsFunc(list, func(f found) bool { return !holds(f) })
}

// lines writes the node under a prefix: one line where it differs from what is inherited, and one for every exception below it.
func (n *node) lines(prefix string, inherited found) []string {
	own := n.most()
	var lines []string
	if own != inherited {
		lines = append(lines, fmt.Sprintf("%s %s%c", prefix, own.region, own.kind))
		for except := own.except; except != ""; except = except[exceptSize:] {
			lines = append(lines, fmt.Sprintf("%s/%s %s%c", prefix, except[:2], own.region, except[2]))
		}
	}
	for digit, child := range n.children {
		lines = append(lines, child.lines(prefix+string(digit), own)...)
	}
	return lines
}

// most returns what most leaves below a node are, the least harmful of them when it is even.
func (n *node) most() found {
	if n.same != nil {
		return *n.same
	}
	counts := map[found]int{}
	n.count(counts, 1_000_000)
	var best found
	for f, c := range counts {
		if b := counts[best]; c > b || c == b && (f.region+string(f.kind)) < (best.region+string(best.kind)) {
			best = f
		}
	}
	return best
}

func (n *node) count(counts map[found]int, weight int) {
	if n.same != nil {
		counts[*n.same] += weight
		return
	}
	for _, child := range n.children {
		child.count(counts, weight/10)
	}
}
