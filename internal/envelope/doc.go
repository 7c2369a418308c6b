// Package envelope reads event documents: it finds the call requests inside whatever a queue, a topic, a bus, a gateway or a
// person handed over, and says for each what it asks for, which delivery it is, how old it provably is, and, when it is
// refused, why and what to do.
//
// Everything here is a pure function of the document and [Options]: no clock, no network, no logging. [Decode] is total: any
// bytes give a [Document] with at least one [Record], and nothing panics.
//
// # How a document is read
//
//  1. A text (the document, an SQS body, an SNS message, a decoded stream value) is checked strictly first: UTF-8, no byte
//     order mark, one value, no duplicate names, no lone surrogates, bounded depth (strict.go). What is wrong with a part of a
//     batch refuses that part only.
//  2. The transport is recognized by the members it must have (transport.go) and gives the records. Each record starts a
//     chain (chain.go): its ids, time stamps and marks, outermost first.
//  3. Envelopes inside a record are recognized by their full set of members and opened one by one, at most
//     [Options.MaxUnwraps] times (unwrap.go). Members of a payload that merely look like an envelope open nothing.
//  4. What is left must be the payload, and is read by exact names (payload.go).
//
// # Widening
//
// A new transport is one row of the table in transport.go and one file; a new envelope is one row of the table in unwrap.go
// and one file. The names an envelope is recognized by are listed in view.go. Nothing else has to change.
package envelope
