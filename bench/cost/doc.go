// Package cost counts what a call costs on AWS, by the operations that the production code sends and the sizes of the items it writes.
// Its test holds the tables of docs/cost.md: with -update it writes them again.
package cost
