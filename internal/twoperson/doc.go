// Package twoperson holds an order of one operator until another one confirms it: the four-eyes rule for acts that ring many telephones at once. What is ordered is
// fixed when it is proposed; who confirms says which content was seen, so that nobody confirms something else than was shown. The decisions are pure; an order
// lies in a cell of the ledger and moves by compare-and-set, so that it is confirmed once.
package twoperson
