// Package queries is what sqlc makes of ../statements: one function for each statement, with the types of its parameters and columns checked
// against ../migrations. Only this file is written by hand.
package queries
