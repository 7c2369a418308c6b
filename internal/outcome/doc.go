// Package outcome says what became of a contact. It is pure: [Told] turns what Amazon Connect tells in a contact event or in an answer of
// DescribeContact into a [call.Sight], and [Of] turns a sight into a [call.ContactOutcome] and says whether anything more can be learned.
//
// The words of Amazon Connect are an open list (facts/amazon-connect.md section 5): one that is not known here leads to the outcome
// unknown and stays in the sight as text, never to an error.
package outcome
