package standin

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// maxItem is the most bytes of an item (Developer Guide, "Service, account, and table quotas": 400 KB).
const maxItem = 400 << 10

// value is an attribute value on the wire: one member is set.
type value struct {
	S    *string  `json:",omitempty"`
	N    *string  `json:",omitempty"`
	B    []byte   `json:",omitempty"`
	BOOL *bool    `json:",omitempty"`
	NULL *bool    `json:",omitempty"`
	L    []value  `json:",omitzero"`
	M    item     `json:",omitzero"`
	SS   []string `json:",omitempty"`
	NS   []string `json:",omitempty"`
}

// item is an item on the wire.
type item map[string]value

func number(v value) (*big.Rat, bool) {
	if v.N == nil {
		return nil, false
	}
	return new(big.Rat).SetString(*v.N)
}

func numeric(r *big.Rat) value {
	text := strings.TrimSuffix(strings.TrimRight(r.FloatString(38), "0"), ".")
	return value{N: &text}
}

// compare orders two values of one type; ok is false when the types differ or have no order.
func compare(a, b value) (order int, ok bool) {
	switch {
	case a.S != nil && b.S != nil:
		return strings.Compare(*a.S, *b.S), true
	case a.B != nil && b.B != nil:
		return bytes.Compare(a.B, b.B), true
	}
	x, first := number(a)
	y, second := number(b)
	if !first || !second {
		return 0, false
	}
	return x.Cmp(y), true
}

func equal(a, b value) bool {
	if order, ok := compare(a, b); ok {
		return order == 0
	}
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// size is what DynamoDB counts of a value (Developer Guide, "DynamoDB item sizes and formats").
func (v value) size() int {
	switch {
	case v.S != nil:
		return len(*v.S)
	case v.N != nil:
		return (len(*v.N)+1)/2 + 1
	case v.B != nil:
		return len(v.B)
	case v.L != nil:
		n := 3
		for _, one := range v.L {
			n += 1 + one.size()
		}
		return n
	case v.M != nil:
		return 3 + v.M.size() + len(v.M)
	}
	n := 1
	for _, one := range slices.Concat(v.SS, v.NS) {
		n += len(one)
	}
	return n
}

func (it item) size() int {
	n := 0
	for name, v := range it {
		n += len(name) + v.size()
	}
	return n
}

// length is what the function size of an expression counts.
func (v value) length() int {
	switch {
	case v.S != nil:
		return len(*v.S)
	case v.B != nil:
		return len(v.B)
	case v.L != nil:
		return len(v.L)
	case v.M != nil:
		return len(v.M)
	}
	return len(v.SS) + len(v.NS)
}

func (v value) contains(one value) bool {
	switch {
	case v.S != nil && one.S != nil:
		return strings.Contains(*v.S, *one.S)
	case one.S != nil && slices.Contains(v.SS, *one.S):
		return true
	case one.N != nil && slices.Contains(v.NS, *one.N):
		return true
	}
	return slices.ContainsFunc(v.L, func(x value) bool { return equal(x, one) })
}
