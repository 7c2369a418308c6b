// Package checkup asks a set-up what it is and judges the answers: the instances of the profiles, the deployed parts, the table, the ledger.
// Each look stands for itself: one that fails is a finding of its own and hides no other.
package checkup
