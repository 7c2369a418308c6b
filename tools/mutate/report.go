package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// The columns of the terminal.
const (
	idWidth = 34
	byWidth = 62
)

// tell prints one verdict as soon as it is known.
func tell(out io.Writer, v verdict) {
	said, seconds := v.by, fmt.Sprintf("%.1f", v.seconds)
	switch {
	case v.err != nil:
		said, seconds = "ERROR "+firstLine(v.err.Error()), "-"
	case v.seeds != nil:
		said, seconds = seedText(v), "-"
	case !v.caught():
		said, seconds = "SURVIVED", "-"
	}
	_, _ = fmt.Fprintf(out, "%-*s | %-*s | %6s | %s\n", idWidth, v.mutant.ID, byWidth, said, seconds, v.mutant.What)
}

func seedText(v verdict) string {
	if len(v.seeds) == 0 {
		return "no simulation can see it"
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(v.seeds)) {
		if seen := v.seeds[name]; seen.Seed > 0 {
			said = append(said, fmt.Sprintf("%s: seed %d", name, seen.Seed))
		} else {
			said = append(said, fmt.Sprintf("%s: not in %d", name, seen.Seeds))
		}
	}
	return strings.Join(said, ", ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// summarize prints the end of a run and returns its exit code.
func summarize(out io.Writer, verdicts []verdict) int {
	survived, wrong := 0, 0
	for _, v := range verdicts {
		switch {
		case v.err != nil:
			wrong++
			_, _ = fmt.Fprintf(out, "\n%v\n", v.err)
		case v.seeds == nil && !v.caught():
			survived++
			_, _ = fmt.Fprintf(out, "\nsurvivor %s: %s\n", v.mutant.ID, v.mutant.What)
			for _, t := range v.mutant.Tests {
				_, _ = fmt.Fprintf(out, "  %s\n", t)
			}
		}
	}
	_, _ = fmt.Fprintf(out, "\n%d mutants, %d survived, %d errors\n", len(verdicts), survived, wrong)
	switch {
	case wrong > 0:
		return exitWrong
	case survived > 0:
		return exitSurvived
	}
	return 0
}
