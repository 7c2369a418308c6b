// Package flow answers what a contact flow reports, by whichever way in the report came: whom it believes, what the core is asked, and what the flow
// is told in the words that a flow reads.
package flow
