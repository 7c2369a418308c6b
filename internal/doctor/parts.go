package doctor

// Seen says which parts of a [Deployment] were read. Figures of the others are not judged.
type Seen struct{ Source, DeadLetter, Trigger, Function, Sweep, Table bool }

// ArithmeticOf is [Arithmetic] without the checks that compare a part which was not seen.
func ArithmeticOf(d Deployment, seen Seen) []Finding {
	var kept []Finding
	for _, f := range Arithmetic(d) {
		forgets := f.Check == "memory" && d.Ledger == "dynamodb" // whether it does stands in the table
		if seen.has(needsOf(f.Check)) && (!forgets || seen.Table) {
			kept = append(kept, f)
		}
	}
	return kept
}

func needsOf(check string) needs {
	for _, c := range Checks() {
		if c.Name == check {
			return c.needs
		}
	}
	return needs{}
}

func (s Seen) has(n needs) bool {
	return (s.Source || !n.source) && (s.DeadLetter || !n.deadLetter) && (s.Trigger || !n.trigger) && (s.Function || !n.function) &&
		(s.Sweep || !n.sweep) && (s.Table || !n.table)
}
