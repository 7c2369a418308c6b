package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/doctor"
)

// diagnosis is the JSON form of the findings.
type diagnosis struct {
	Worst    doctor.Level         `json:"worst"`
	Counts   map[doctor.Level]int `json:"counts"`
	Findings []grouped            `json:"findings"`
}

type grouped struct {
	Group doctor.Group `json:"group"`
	doctor.Finding
}

func diagnosisOf(findings []doctor.Finding) diagnosis {
	d := diagnosis{Worst: doctor.Worst(findings), Counts: map[doctor.Level]int{}, Findings: []grouped{}}
	for _, f := range sorted(findings) {
		d.Counts[f.Level]++
		d.Findings = append(d.Findings, grouped{doctor.GroupOf(f.Check), f})
	}
	return d
}

// sorted orders findings by group and, within one, from bad to good.
func sorted(findings []doctor.Finding) []doctor.Finding {
	out := slices.Clone(findings)
	groups, levels := doctor.Groups(), doctor.Levels()
	slices.SortStableFunc(out, func(a, b doctor.Finding) int {
		byGroup := slices.Index(groups, doctor.GroupOf(a.Check)) - slices.Index(groups, doctor.GroupOf(b.Check))
		if byGroup != 0 {
			return byGroup
		}
		return slices.Index(levels, b.Level) - slices.Index(levels, a.Level)
	})
	return out
}

// printFindings writes a heading for each group and a line for each finding, with the reason and the fix of what is not in order.
func printFindings(w io.Writer, findings []doctor.Finding) error {
	var text strings.Builder
	var group doctor.Group
	for _, f := range sorted(findings) {
		if g := doctor.GroupOf(f.Check); g != group {
			group = g
			fmt.Fprintf(&text, "%s\n", strings.ToUpper(string(g[:1]))+string(g[1:]))
		}
		fmt.Fprintf(&text, "  %-8s %-17s %s\n", f.Level, f.Check, plain(f.What))
		indent := strings.Repeat(" ", 28)
		if f.Subject != "" && f.Level != doctor.OK {
			fmt.Fprintf(&text, "%s   at  %s\n", indent, plain(f.Subject))
		}
		if f.Why != "" {
			fmt.Fprintf(&text, "%s   why %s\n", indent, plain(f.Why))
		}
		if f.Fix != "" {
			fmt.Fprintf(&text, "%s   fix %s\n", indent, plain(f.Fix))
		}
	}
	fmt.Fprintf(&text, "\n%s\n", tally(findings))
	_, err := io.WriteString(w, text.String())
	return err
}

// tally counts the findings by level, the worst first.
func tally(findings []doctor.Finding) string {
	counts := diagnosisOf(findings).Counts
	var parts []string
	for _, level := range slices.Backward(doctor.Levels()) {
		if n := counts[level]; n > 0 {
			word := string(level)
			if n > 1 && level != doctor.OK && level != doctor.Unknown {
				word += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}
