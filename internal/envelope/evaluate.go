package envelope

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// maxMappedElements bounds every list that an expression makes.
const maxMappedElements = 1000

var (
	errCostly = errors.New("looks at more of the payload than it may")
	errWide   = errors.New("makes a list of more than 1000 elements")
)

// found is what an expression gives: a value of the payload as it stands there, or a list that the expression made. The zero value is nothing,
// which is also what null is.
type found struct {
	value  raw
	list   []found
	isList bool
}

func (f found) nothing() bool { return !f.isList && (len(f.value) == 0 || f.value.isNull()) }

// isFalse is the truth of JMESPath: nothing, false, and what is empty.
func (f found) isFalse() bool {
	switch {
	case f.isList:
		return len(f.list) == 0
	case f.nothing():
		return true
	case f.value.isString():
		return len(f.value) == len(`""`)
	case f.value.isArray(), f.value.isObject():
		return f.value[skipSpace(f.value, 1)] == ']' || f.value[skipSpace(f.value, 1)] == '}'
	}
	return f.value[0] == 'f'
}

// kind names the type of the value for a person.
func (f found) kind() string {
	switch {
	case f.isList, f.value.isArray():
		return "an array"
	case f.nothing():
		return "nothing"
	case f.value.isString():
		return "a string"
	case f.value.isObject():
		return "an object"
	case f.value[0] == 't', f.value[0] == 'f':
		return "true or false"
	}
	return "a number"
}

// evaluation evaluates expressions over one payload, in place: a value that is found is a piece of the payload's text, and numbers keep
// their digits. budget is how many bytes may still be looked at.
type evaluation struct{ budget int }

// pay takes the cost of looking at n bytes.
func (ev *evaluation) pay(n int) error {
	if ev.budget -= n + 1; ev.budget < 0 {
		return errCostly
	}
	return nil
}

func (ev *evaluation) evaluate(node parsing.ASTNode, on found) (found, error) {
	if err := ev.pay(0); err != nil {
		return found{}, err
	}
	switch node.NodeType { //nolint:exhaustive // compile has refused the others
	case parsing.ASTIdentity, parsing.ASTCurrentNode:
		return on, nil
	case parsing.ASTLiteral:
		return literal(node.Value), nil
	case parsing.ASTField:
		name, _ := node.Value.(string)
		return ev.field(on, name)
	case parsing.ASTIndex:
		index, _ := node.Value.(int)
		return ev.index(on, index)
	case parsing.ASTSubexpression, parsing.ASTIndexExpression, parsing.ASTPipe:
		return ev.chain(node, on)
	case parsing.ASTOrExpression, parsing.ASTAndExpression:
		left, err := ev.evaluate(node.Children[0], on)
		if err != nil || left.isFalse() == (node.NodeType == parsing.ASTAndExpression) {
			return left, err
		}
		return ev.evaluate(node.Children[1], on)
	case parsing.ASTNotExpression:
		operand, err := ev.evaluate(node.Children[0], on)
		return truth(operand.isFalse()), err
	case parsing.ASTComparator:
		return ev.compare(node, on)
	case parsing.ASTProjection:
		return ev.project(node, nil, on)
	case parsing.ASTFilterProjection:
		return ev.project(node, &node.Children[2], on)
	case parsing.ASTMultiSelectList:
		if on.nothing() {
			return found{}, nil
		}
		list, err := ev.all(node.Children, on)
		return found{list: list, isList: true}, err
	case parsing.ASTFunctionExpression:
		arguments, err := ev.all(node.Children, on)
		if err != nil {
			return found{}, err
		}
		name, _ := node.Value.(string)
		return functions[name].call(ev, arguments)
	}
	return found{}, nil
}

func (ev *evaluation) all(nodes []parsing.ASTNode, on found) ([]found, error) {
	list := make([]found, len(nodes))
	for i, node := range nodes {
		var err error
		if list[i], err = ev.evaluate(node, on); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// chain evaluates what follows a dot, a bracket or a pipe on what stands before it. Only a pipe goes on with nothing.
func (ev *evaluation) chain(node parsing.ASTNode, on found) (found, error) {
	for i, child := range node.Children {
		if i > 0 && on.nothing() && node.NodeType != parsing.ASTPipe {
			return found{}, nil
		}
		var err error
		if on, err = ev.evaluate(child, on); err != nil {
			return found{}, err
		}
	}
	return on, nil
}

func (ev *evaluation) field(on found, name string) (found, error) {
	if on.isList || !on.value.isObject() {
		return found{}, nil
	}
	for n, value := range on.value.members() {
		if err := ev.pay(len(n) + len(value)); err != nil {
			return found{}, err
		}
		if string(n) == name {
			return found{value: value}, nil
		}
	}
	return found{}, nil
}

// elements returns the elements of a list, and ok false for what is none.
func (ev *evaluation) elements(on found) (list []found, ok bool, err error) {
	if on.isList || !on.value.isArray() {
		return on.list, on.isList, nil
	}
	for element := range on.value.elements() {
		if err := ev.pay(len(element)); err != nil {
			return nil, true, err
		}
		if len(list) == maxMappedElements {
			return nil, true, errWide
		}
		list = append(list, found{value: element})
	}
	return list, true, nil
}

func (ev *evaluation) index(on found, index int) (found, error) {
	list, _, err := ev.elements(on)
	if index < 0 {
		index += len(list)
	}
	if err != nil || index < 0 || index >= len(list) {
		return found{}, err
	}
	return list[index], nil
}

// project applies the right side to every element of the left one that the condition takes; nothing is left out.
func (ev *evaluation) project(node parsing.ASTNode, condition *parsing.ASTNode, on found) (found, error) {
	left, err := ev.evaluate(node.Children[0], on)
	if err != nil {
		return found{}, err
	}
	list, isList, err := ev.elements(left)
	if err != nil || !isList {
		return found{}, err
	}
	collected := []found{}
	for _, element := range list {
		if condition != nil {
			taken, err := ev.evaluate(*condition, element)
			if err != nil {
				return found{}, err
			}
			if taken.isFalse() {
				continue
			}
		}
		value, err := ev.evaluate(node.Children[1], element)
		if err != nil {
			return found{}, err
		}
		if !value.nothing() {
			collected = append(collected, value)
		}
	}
	return found{list: collected, isList: true}, nil
}

func literal(value any) found {
	switch v := value.(type) {
	case string:
		return text(v)
	case bool:
		return truth(v)
	case float64:
		return found{value: strconv.AppendFloat(nil, v, 'f', -1, 64)}
	}
	return found{}
}

func truth(b bool) found { return found{value: strconv.AppendBool(nil, b)} }

// text makes a JSON string. Characters that JSON cannot hold do not get here: the payload was checked, and so was the expression.
func text(s string) found {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return found{}
	}
	return found{value: quoted}
}

// compare compares scalars. Numbers are ordered only within the integers that every reader of JSON keeps, and containers not at all.
func (ev *evaluation) compare(node parsing.ASTNode, on found) (found, error) {
	sides, err := ev.all(node.Children, on)
	if err != nil {
		return found{}, err
	}
	for _, side := range sides {
		if err := ev.pay(len(side.value)); err != nil {
			return found{}, err
		}
	}
	left, right := sides[0], sides[1]
	switch node.Value {
	case parsing.TOKEQ, parsing.TOKNE:
		same, comparable := equal(left, right)
		if !comparable {
			return found{}, nil
		}
		return truth(same == (node.Value == parsing.TOKEQ)), nil
	}
	a, aok := left.number()
	b, bok := right.number()
	if !aok || !bok {
		return found{}, nil
	}
	switch node.Value {
	case parsing.TOKLT:
		return truth(a < b), nil
	case parsing.TOKLTE:
		return truth(a <= b), nil
	case parsing.TOKGT:
		return truth(a > b), nil
	case parsing.TOKGTE:
		return truth(a >= b), nil
	}
	return found{}, nil
}

// equal compares two scalars; comparable is false for containers and for numbers that readers of JSON disagree about.
func equal(a, b found) (same, comparable bool) {
	kind := a.kind()
	switch {
	case kind == "an array" || kind == "an object" || b.kind() == "an array" || b.kind() == "an object":
		return false, false
	case kind != b.kind():
		return false, true
	case kind == "a number":
		x, xok := a.number()
		y, yok := b.number()
		return x == y, xok && yok
	case a.value.isString():
		return bytes.Equal(a.value.bytes(), b.value.bytes()), true
	}
	return bytes.Equal(a.value, b.value) || a.nothing(), true
}

const maxSafeInteger = 1<<53 - 1 // RFC 8259 section 6

// number returns a number that every reader of JSON reads alike, as far as its size goes.
func (f found) number() (float64, bool) {
	if f.kind() != "a number" {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(f.value), 64)
	return n, err == nil && n >= -maxSafeInteger && n <= maxSafeInteger
}
