// Package client asks the ringonce service for calls, over HTTP (docs/api.md). It is generated from the service's document, wrapped small.
//
// A request that is sent again rings no second time: the ids in it say which call is meant. So every method may be repeated after an error that
// says nothing about the answer, and [Error.Retry] says when that is worth it.
package client
