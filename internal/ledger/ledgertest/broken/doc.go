// Package broken holds ledgers with one defect each. The exam of package ledgertest must fail every one of them; a defect that
// passes is a promise nobody checks.
//
// Each defect is a wrapper around a sound ledger, so that it shows what a driver's author could get wrong, and nothing else.
package broken
