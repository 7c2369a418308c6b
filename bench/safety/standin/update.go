package standin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// updated returns the item after an update expression. The item that was given stays as it is: values of SET are those before the update.
func updated(expression string, names map[string]string, values, it item) (item, error) {
	r := &reader{tokens: tokens(expression), names: names, values: values}
	after := maps.Clone(it)
	for len(r.tokens) > 0 {
		act := strings.ToUpper(r.next())
		for {
			var err error
			switch act {
			case "SET":
				err = r.set(it, after)
			case "ADD":
				err = r.add(it, after)
			case "REMOVE":
				var path string
				path, err = r.path()
				delete(after, path)
			default:
				err = &badExpression{fmt.Sprintf("%q is no clause", act)}
			}
			if err != nil {
				return nil, err
			}
			if !r.takes(",") {
				break
			}
		}
	}
	return after, nil
}

func (r *reader) set(before, after item) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	if err := r.expect("="); err != nil {
		return err
	}
	v, err := r.term(before)
	if err != nil {
		return err
	}
	for r.peek() == "+" || r.peek() == "-" {
		sign := r.next()
		right, err := r.term(before)
		if err != nil {
			return err
		}
		x, first := number(v)
		y, second := number(right)
		if !first || !second {
			return &badExpression{"a sum of what is no number"}
		}
		if sign == "-" {
			y.Neg(y)
		}
		v = numeric(x.Add(x, y))
	}
	after[path] = v
	return nil
}

// term reads a value of SET.
func (r *reader) term(before item) (value, error) {
	switch r.peek() {
	case "if_not_exists":
		r.next()
		if err := r.expect("("); err != nil {
			return value{}, err
		}
		path, err := r.path()
		if err != nil {
			return value{}, err
		}
		otherwise, err := r.second(before)
		if v, ok := before[path]; ok {
			return v, err
		}
		return otherwise, err
	case "list_append":
		r.next()
		if err := r.expect("("); err != nil {
			return value{}, err
		}
		first, err := r.term(before)
		if err != nil {
			return value{}, err
		}
		second, err := r.second(before)
		return value{L: append(slices.Clone(first.L), second.L...)}, err
	}
	v, ok, err := r.operand(before)
	if err == nil && !ok {
		err = &badExpression{"the item has no such attribute"}
	}
	return v, err
}

// second reads the second argument of a function and its end.
func (r *reader) second(before item) (value, error) {
	if err := r.expect(","); err != nil {
		return value{}, err
	}
	v, err := r.term(before)
	if err != nil {
		return value{}, err
	}
	return v, r.expect(")")
}

func (r *reader) add(before, after item) error {
	path, err := r.path()
	if err != nil {
		return err
	}
	plus, _, err := r.operand(before)
	if err != nil {
		return err
	}
	was, exists := before[path]
	switch {
	case !exists:
		after[path] = plus
	case plus.SS != nil:
		after[path] = value{SS: slices.Compact(slices.Sorted(slices.Values(slices.Concat(was.SS, plus.SS))))}
	default:
		x, first := number(was)
		y, second := number(plus)
		if !first || !second {
			return &badExpression{"a sum of what is no number"}
		}
		after[path] = numeric(x.Add(x, y))
	}
	return nil
}
