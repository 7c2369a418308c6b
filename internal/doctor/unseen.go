package doctor

import (
	"errors"
	"fmt"
)

// Unseen is the error of a look that did not succeed. Its text holds no phone number.
type Unseen struct {
	Action   string // the permission it needs, such as connect:DescribeInstance
	Resource string // what was looked at: an ARN, a URL or a name
	Absent   bool   // the service says that it does not exist
	Denied   bool   // the service refuses to tell
	Draft    bool   // a flow that was never published
	Reason   string // what was answered, in a sentence
}

// Error returns what was looked at and why nothing was seen.
func (u *Unseen) Error() string { return u.Action + " on " + u.Resource + ": " + u.Reason }

// IsAbsent reports whether an error says that something does not exist.
func IsAbsent(err error) bool {
	u, ok := errors.AsType[*Unseen](err)
	return ok && u.Absent
}

// CouldNot turns the error of a look into a finding of level unknown that names the missing permission.
func CouldNot(check string, err error) Finding {
	f := Finding{
		Check: check, Level: Unknown, What: "This could not be looked at: " + err.Error(),
		Why: "What is not seen is not judged: a fault may hide here.", Fix: "Look again later; if it stays, look at the network and the endpoint.",
	}
	u, ok := errors.AsType[*Unseen](err)
	if !ok {
		return f
	}
	f.Subject, f.What = u.Resource, "This could not be looked at: "+u.Reason
	switch {
	case u.Absent:
		f.Fix = "Correct the name, or the Region in which it is looked for."
	case u.Denied:
		f.Fix = fmt.Sprintf("Allow the action %s on %s.", u.Action, u.Resource)
	default:
		f.Fix = fmt.Sprintf("Look again later; the look needs the action %s on %s.", u.Action, u.Resource)
	}
	return f
}

// NoTable is the finding for a table that could not be read: a fault when there is none.
func NoTable(err error) Finding {
	if !IsAbsent(err) {
		return CouldNot("table", err)
	}
	u, _ := errors.AsType[*Unseen](err)
	return Finding{
		Check: "table", Level: Fault, Subject: u.Resource, What: "The table that ledger.table names does not exist.",
		Why: "Workers with this configuration do not start.", Fix: "Create the table, or correct ledger.table and ledger.region.",
	}
}
