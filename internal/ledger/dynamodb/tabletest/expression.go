package tabletest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The expressions of the ledger, taken apart by their text. One that is not known fails the test.

func (f *Table) holds(condition string, old, v Item) bool {
	for part := range strings.SplitSeq(condition, " AND ") {
		part = strings.Trim(part, "()")
		if part != "" && !slices.ContainsFunc(strings.Split(part, " OR "), func(one string) bool { return f.true(one, old, v) }) {
			return false
		}
	}
	return true
}

func (f *Table) true(one string, old, v Item) bool {
	missing := func(name string) bool { _, ok := old[name]; return !ok }
	switch one {
	case "attribute_not_exists(pk":
		return missing("pk")
	case "attribute_exists(pk":
		return !missing("pk")
	case "attribute_not_exists(v":
		return missing("v")
	case "e < :e":
		return !missing("e") && old.N("e") < v.N(":e")
	case "attribute_exists(g":
		return !missing("g")
	case "attribute_exists(recovery_backup":
		return !missing("recovery_backup")
	case "attribute_not_exists(pk)":
		return missing("pk")
	case "attribute_not_exists(b)":
		return missing("b")
	case "attribute_not_exists(texts)":
		return missing("texts")
	case "attribute_not_exists(m)":
		return missing("m")
	case "attribute_not_exists(gone":
		return missing("gone")
	case "z = :z":
		return !missing("z") && old.S("z") == v.S(":z")
	case "attribute_not_exists(prints)":
		return missing("prints")
	case "o = :o":
		return old.S("o") == v.S(":o")
	case "v = :v":
		return !missing("v") && old.N("v") == v.N(":v")
	case "x = :x":
		return bytes.Equal(old["x"].B, v[":x"].B)
	case "b < :b":
		return old.N("b") < v.N(":b")
	case "b > :ahead":
		return old.N("b") > v.N(":ahead")
	case "size(texts) < :most":
		return len(old["texts"].L) < int(v.N(":most"))
	case "size(prints) < :most":
		return len(old["prints"].SS) < int(v.N(":most"))
	case "m < :first":
		return old.N("m") < v.N(":first")
	case "NOT contains(prints, :f":
		return !slices.Contains(old["prints"].SS, v.S(":f"))
	}
	f.t.Errorf("the Table does not know the condition %q", one)
	return false
}

func (f *Table) updated(expression string, old Item, pk string, v Item) Item {
	it := maps.Clone(old)
	if it == nil {
		it = Item{"pk": {S: &pk}}
	}
	plus := func(name string) {
		sum := fmt.Sprint(it.N(name) + 1)
		it[name] = Value{N: &sum}
	}
	expression = strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(expression), " ADD ", ", ADD "), "SET ")
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(expression, "ADD ", ""), "if_not_exists(texts, :none), :note", "texts"), ", ") {
		switch part {
		case "texts = list_append(texts)":
			it["texts"] = Value{L: append(slices.Clone(it["texts"].L), v[":note"].L...)}
		case "n :one", "m :one", "epoch :one":
			plus(strings.TrimSuffix(part, " :one"))
		case "prints :fs":
			it["prints"] = Value{SS: append(slices.Clone(it["prints"].SS), v[":fs"].SS...)}
		case "b = :b", "encrypted = :e", "#format = :f", "recovery_backup = :b", "recovery_restored = :r", "table_id = :t", "token_reading = :r":
			name, value, _ := strings.Cut(part, " = ")
			it[strings.TrimPrefix(name, "#")] = v[value]
		case "REMOVE recovery_backup", "recovery_restored":
			delete(it, strings.TrimPrefix(part, "REMOVE "))
		default:
			f.t.Errorf("the Table does not know the update %q", part)
		}
	}
	return it
}
