// Package rules holds the decisions about whether and when a person may be rung at all: pure functions of what they are given.
package rules
