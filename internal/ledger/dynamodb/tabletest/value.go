package tabletest

import "fmt"

// Value is an attribute value on the wire.
type Value struct {
	S  *string  `json:",omitempty"`
	N  *string  `json:",omitempty"`
	B  []byte   `json:",omitempty"`
	L  []Value  `json:",omitempty"`
	SS []string `json:",omitempty"`
}

// Item is an item on the wire.
type Item map[string]Value

// S returns a string attribute, empty when there is none.
func (i Item) S(name string) string {
	if v := i[name]; v.S != nil {
		return *v.S
	}
	return ""
}

// N returns a number attribute, zero when there is none.
func (i Item) N(name string) int64 {
	var n int64
	if v := i[name]; v.N != nil {
		_, _ = fmt.Sscan(*v.N, &n)
	}
	return n
}
