package doctor

// JudgeSharedPace judges whether the processes that may work on a ledger of the driver share the quotas of Amazon Connect. SQLite has one process.
func JudgeSharedPace(driver string, shared bool) Finding {
	alone := driver != "dynamodb" && driver != "postgres"
	what := "The processes on the ledger share their pace."
	switch {
	case alone:
		what = "One process works on the ledger."
	case !shared:
		what = "Several processes may work on the ledger (" + driver + "), and each paces its dials and looks for itself."
	}
	return judge(alone || shared, Notice, Finding{
		Check: "shared-pace", Subject: "pacing.shared", What: what,
		Why: "Account and Region have one quota of dials, of DescribeContact (10 a second) and of SearchContacts (0.5 a second). Beyond it calls and looks are throttled and wait; nothing is lost.",
		Fix: "Set pacing.shared: true where more than one worker or invocation runs at once, or divide pacing.per_second by their number.",
	})
}
