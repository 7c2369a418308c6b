// Package access knows who asks: which producer or operator a credential stands for, and what they may do. It decides from the credential alone;
// nothing in a request's body can widen it.
package access

import (
	"context"
	"slices"
)

// Kind says what sort of principal asks.
type Kind string

// The kinds of principals.
const (
	Producer Kind = "producer" // a system that asks for calls
	Operator Kind = "operator" // a person, or a program that acts for one
	Reporter Kind = "reporter" // what forwards the reports of contact flows, and may do nothing else
)

// Role is what an operator may do; each role may do what those before it may.
type Role string

// The roles of operators, least first.
const (
	RoleRead    Role = "read"    // see calls, doubts, holds
	RoleOperate Role = "operate" // and cancel, acknowledge, release, re-call one, close a doubt, pause
	RoleAdmin   Role = "admin"   // and the do-not-call list, bulk re-call
)

var ranks = []Role{RoleRead, RoleOperate, RoleAdmin}

// Principal is who asks.
type Principal struct {
	Kind      Kind
	Name      string   // of the producer or the operator, as the audit log names them
	Role      Role     // of an operator; empty for a producer
	KeySpace  string   // of a producer: the room its ids are in; empty is the unnamed one
	Reads     []string // of a producer: further key spaces whose calls it was granted to see
	Profiles  []string // of a producer: those it may name; empty means all
	Anonymous bool     // nobody authenticated: the embedded default on loopback
}

// Local is who asks on loopback where nothing is configured: everything is allowed, and the audit log says that nobody was named.
func Local() Principal {
	return Principal{Kind: Operator, Name: "local", Role: RoleAdmin, Anonymous: true}
}

// May reports whether an operator has at least this role. A producer has none.
func (p Principal) May(least Role) bool {
	return p.Kind == Operator && slices.Index(ranks, p.Role) >= slices.Index(ranks, least) && slices.Contains(ranks, p.Role)
}

// Sees reports whether calls of a key space are visible. Operators see all of them.
func (p Principal) Sees(keySpace string) bool {
	return p.May(RoleRead) || p.Kind == Producer && (p.KeySpace == keySpace || slices.Contains(p.Reads, keySpace))
}

// Uses reports whether the principal may ask for calls of a profile.
func (p Principal) Uses(profile string) bool {
	return p.May(RoleOperate) || p.Kind == Producer && (len(p.Profiles) == 0 || slices.Contains(p.Profiles, profile))
}

type contextKey struct{}

// With returns a context that carries who asks.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns who asks; false when nothing authenticated the request, which then must be refused.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
