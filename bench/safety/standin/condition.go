package standin

import (
	"fmt"
	"strconv"
	"strings"
)

// holds evaluates a condition, key condition or filter; the empty one holds.
func holds(expression string, names map[string]string, values, it item) (bool, error) {
	r := &reader{tokens: tokens(expression), names: names, values: values}
	if len(r.tokens) == 0 {
		return true, nil
	}
	result, err := r.either(it)
	if err == nil {
		err = r.done()
	}
	return result, err
}

func (r *reader) either(it item) (bool, error) {
	result, err := r.both(it)
	for err == nil && r.takes("OR") {
		var right bool
		right, err = r.both(it)
		result = result || right
	}
	return result, err
}

func (r *reader) both(it item) (bool, error) {
	result, err := r.negated(it)
	for err == nil && r.takes("AND") {
		var right bool
		right, err = r.negated(it)
		result = result && right
	}
	return result, err
}

func (r *reader) negated(it item) (bool, error) {
	if r.takes("NOT") {
		result, err := r.negated(it)
		return !result, err
	}
	if r.takes("(") {
		result, err := r.either(it)
		if err != nil {
			return false, err
		}
		return result, r.expect(")")
	}
	switch name := r.peek(); name {
	case "attribute_exists", "attribute_not_exists":
		r.next()
		path, err := r.argument()
		_, exists := it[path]
		return exists == (name == "attribute_exists"), err
	case "contains", "begins_with":
		r.next()
		return r.holdsText(name, it)
	}
	return r.comparison(it)
}

func (r *reader) argument() (string, error) {
	if err := r.expect("("); err != nil {
		return "", err
	}
	path, err := r.path()
	if err != nil {
		return "", err
	}
	return path, r.expect(")")
}

func (r *reader) holdsText(function string, it item) (bool, error) {
	if err := r.expect("("); err != nil {
		return false, err
	}
	whole, _, err := r.operand(it)
	if err != nil {
		return false, err
	}
	if err := r.expect(","); err != nil {
		return false, err
	}
	part, _, err := r.operand(it)
	if err != nil {
		return false, err
	}
	if function == "contains" {
		return whole.contains(part), r.expect(")")
	}
	return whole.S != nil && part.S != nil && strings.HasPrefix(*whole.S, *part.S), r.expect(")")
}

// operand reads an attribute, a value or a size; ok is false when the item lacks the attribute.
func (r *reader) operand(it item) (v value, ok bool, err error) {
	token := r.peek()
	if strings.HasPrefix(token, ":") {
		r.next()
		if v, ok = r.values[token]; !ok {
			err = &badExpression{"the value " + token + " is not defined"}
		}
		return v, ok, err
	}
	if token == "size" {
		r.next()
		path, err := r.argument()
		v, ok := it[path]
		text := strconv.Itoa(v.length())
		return value{N: &text}, ok, err
	}
	path, err := r.path()
	v, ok = it[path]
	return v, ok, err
}

func (r *reader) comparison(it item) (bool, error) {
	left, has, err := r.operand(it)
	if err != nil {
		return false, err
	}
	sign := r.next()
	if strings.EqualFold(sign, "IN") {
		return r.listed(left, has, it)
	}
	right, also, err := r.operand(it)
	if err != nil {
		return false, err
	}
	if strings.EqualFold(sign, "BETWEEN") {
		if err := r.expect("AND"); err != nil {
			return false, err
		}
		most, _, err := r.operand(it)
		low, first := compare(left, right)
		high, second := compare(left, most)
		return has && first && second && low >= 0 && high <= 0, err
	}
	order, ordered := compare(left, right)
	ordered = ordered && has && also
	switch sign {
	case "=":
		return has && also && equal(left, right), nil
	case "<>":
		return !has || !also || !equal(left, right), nil
	case "<":
		return ordered && order < 0, nil
	case "<=":
		return ordered && order <= 0, nil
	case ">":
		return ordered && order > 0, nil
	case ">=":
		return ordered && order >= 0, nil
	}
	return false, &badExpression{fmt.Sprintf("%q is no comparison", sign)}
}

// listed reads the rest of an IN.
func (r *reader) listed(left value, has bool, it item) (bool, error) {
	if err := r.expect("("); err != nil {
		return false, err
	}
	for found := false; ; {
		one, ok, err := r.operand(it)
		if err != nil {
			return false, err
		}
		found = found || has && ok && equal(left, one)
		if !r.takes(",") {
			return found, r.expect(")")
		}
	}
}
